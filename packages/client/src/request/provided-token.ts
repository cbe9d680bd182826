/** The function that was to give the token has failed; what it threw is the cause. */
export class TokenFailure extends Error {
  constructor(cause: unknown) {
    super('the function that gives the token has failed', { cause })
  }
}

/** What a provider gives, unless the attempt ends first. */
export async function providedToken(
  provider: () => string | Promise<string>,
  signal: AbortSignal,
): Promise<string> {
  const { promise: ended, reject } = Promise.withResolvers<never>()
  const abort = (): void => reject(signal.reason)
  signal.addEventListener('abort', abort, { once: true })
  try {
    return await Promise.race([ended, ask(provider)])
  } finally {
    signal.removeEventListener('abort', abort)
  }
}

async function ask(provider: () => string | Promise<string>): Promise<string> {
  try {
    return await provider()
  } catch (error) {
    throw new TokenFailure(error)
  }
}
