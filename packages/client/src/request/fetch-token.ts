/** The caller's token function threw. Its error is the cause. */
export class TokenError extends Error {
  constructor(cause: unknown) {
    super('the token function threw an error', { cause })
  }
}

/** The token that the caller's function returns. Rejects if the attempt ends first. */
export async function fetchToken(
  provider: () => string | Promise<string>,
  signal: AbortSignal,
): Promise<string> {
  const { promise: aborted, reject } = Promise.withResolvers<never>()
  const abort = (): void => reject(signal.reason)
  signal.addEventListener('abort', abort, { once: true })
  try {
    return await Promise.race([aborted, callProvider(provider)])
  } finally {
    signal.removeEventListener('abort', abort)
  }
}

async function callProvider(provider: () => string | Promise<string>): Promise<string> {
  try {
    return await provider()
  } catch (error) {
    throw new TokenError(error)
  }
}
