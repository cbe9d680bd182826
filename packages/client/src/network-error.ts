import { innermostMessage } from './thrown.ts'

/**
 * `unsent`: no connection was made, so the request certainly had no effect. `lost`: the connection broke. `timeout`:
 * no answer came in time. `unreadable`: the answer is not what the API sends.
 */
export type NetworkErrorReason = 'unsent' | 'lost' | 'timeout' | 'unreadable'

export interface NetworkErrorOptions {
  readonly reason: NetworkErrorReason
  readonly request: string
  readonly cause: unknown
}

/** No answer came. But for the reason `unsent` it is unknown whether the request took effect. */
export class NetworkError extends Error {
  override readonly name = 'NetworkError'
  readonly reason: NetworkErrorReason
  /** How often the request was sent or tried to be. */
  attempts = 1

  constructor({ reason, request, cause }: NetworkErrorOptions) {
    super(`${request}: no answer (${reason}): ${innermostMessage(cause)}`, { cause })
    this.reason = reason
  }
}
