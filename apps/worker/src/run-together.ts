/** Runs until the signal aborts. If a task ends earlier, the signals of the other tasks abort too. */
export type Task = (signal: AbortSignal) => Promise<void>

/**
 * Runs the tasks in parallel until `signal` aborts or one of them ends, and resolves when all have ended. Rejects with the
 * first failure.
 */
export async function runTogether(signal: AbortSignal, tasks: readonly Task[]): Promise<void> {
  const taskEnded = new AbortController()
  const stopSignal = AbortSignal.any([signal, taskEnded.signal])
  const results = await Promise.allSettled(
    tasks.map((task) => task(stopSignal).finally(() => taskEnded.abort(signal.reason))),
  )
  for (const result of results) if (result.status === 'rejected') throw result.reason
}
