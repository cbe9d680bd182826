/** Runs until the signal aborts. If a task ends earlier, the signals of the other tasks abort too. */
export type Task = (signal: AbortSignal) => Promise<void>

/**
 * Runs the tasks in parallel until `signal` aborts or one of them ends, and resolves when all have ended. Rejects with the
 * failure that came first.
 */
export async function runTogether(signal: AbortSignal, tasks: readonly Task[]): Promise<void> {
  const taskEnded = new AbortController()
  const stopSignal = AbortSignal.any([signal, taskEnded.signal])
  const failures: unknown[] = []
  const run = async (task: Task): Promise<void> => {
    try {
      await task(stopSignal)
    } catch (error) {
      failures.push(error)
    } finally {
      taskEnded.abort()
    }
  }
  await Promise.all(tasks.map(run))
  if (failures.length > 0) throw failures[0]
}
