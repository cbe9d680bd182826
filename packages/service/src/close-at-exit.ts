/** A connection on which the database has fallen silent does not answer its close either. */
const closeMsMax = 1_000

/**
 * Waits until everything is closed that a process closes last, but not longer than a second. A pool waits for each of its
 * connections, and a connection for its timeouts, which may be set to minutes. What is left ends with the process.
 */
export async function closeAtExit(closing: Promise<unknown>): Promise<void> {
  const late = Promise.withResolvers<void>()
  const timer = setTimeout(late.resolve, closeMsMax)
  try {
    await Promise.race([closing, late.promise])
  } finally {
    clearTimeout(timer)
  }
}
