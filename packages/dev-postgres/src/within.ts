/**
 * Resolves with the result of `work`, or rejects after `ms` milliseconds. The work itself continues: the caller must
 * dispose of a result that comes too late. `description` begins the error message.
 */
export async function within<T>(ms: number, description: string, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${description} took longer than ${ms} ms`)), ms)
  })
  try {
    return await Promise.race([work, timeout])
  } finally {
    clearTimeout(timer)
  }
}
