/** Works until the signal aborts. When it ends earlier, the others' signals abort too. */
export type Task = (signal: AbortSignal) => Promise<void>

/**
 * Runs the tasks side by side until `signal` aborts or one of them ends, and resolves when all have ended. Rejects with
 * the first failure.
 */
export async function runTogether(signal: AbortSignal, tasks: readonly Task[]): Promise<void> {
  const ended = new AbortController()
  const either = AbortSignal.any([signal, ended.signal])
  const settled = await Promise.allSettled(
    tasks.map((task) => task(either).finally(() => ended.abort(signal.reason))),
  )
  for (const one of settled) if (one.status === 'rejected') throw one.reason
}
