/** The work took longer than it may. */
class DeadlineExceeded extends Error {
  override readonly name = 'DeadlineExceeded'
}

/**
 * Runs `work` under a signal that aborts with `signal`, and after `ms` with a `DeadlineExceeded` that says `what` took too
 * long. An error that the deadline caused is replaced by it, whatever a library made of it.
 */
export async function withDeadline<T>(
  { signal, ms, what }: { readonly signal: AbortSignal; readonly ms: number; readonly what: string },
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const late = new AbortController()
  const timer = setTimeout(() => late.abort(new DeadlineExceeded(`${what} took longer than ${ms} ms`)), ms)
  try {
    return await work(AbortSignal.any([signal, late.signal]))
  } catch (error) {
    throw late.signal.aborted && !signal.aborted ? late.signal.reason : error
  } finally {
    clearTimeout(timer)
  }
}
