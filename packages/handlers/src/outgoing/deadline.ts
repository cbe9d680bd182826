/** The work took longer than it may. */
class DeadlineExceeded extends Error {
  override readonly name = 'DeadlineExceeded'
}

/**
 * Runs `work` under a signal that aborts with `signal`, or after `ms` with a `DeadlineExceeded` which says that `what` took too
 * long. If the deadline caused the error of `work`, this throws the `DeadlineExceeded`, even if a library wrapped it.
 */
export async function withDeadline<T>(
  { signal, ms, what }: { readonly signal: AbortSignal; readonly ms: number; readonly what: string },
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const deadline = new AbortController()
  const timer = setTimeout(
    () => deadline.abort(new DeadlineExceeded(`${what} took longer than ${ms} ms`)),
    ms,
  )
  try {
    return await work(AbortSignal.any([signal, deadline.signal]))
  } catch (error) {
    throw deadline.signal.aborted && !signal.aborted ? deadline.signal.reason : error
  } finally {
    clearTimeout(timer)
  }
}
