import { innermostMessage } from './thrown.ts'

/**
 * - `unsent`: no connection was made, so the request certainly had no effect.
 * - `lost`: the connection broke.
 * - `timeout`: no response came in time.
 * - `unreadable`: the response is not one that the API sends.
 */
export type NetworkErrorReason = 'unsent' | 'lost' | 'timeout' | 'unreadable'

export interface NetworkErrorOptions {
  readonly reason: NetworkErrorReason
  /** The method and the path of the request. */
  readonly request: string
  readonly cause: unknown
}

/** A call got no response. Unless the reason is `unsent`, it is unknown whether the request took effect. */
export class NetworkError extends Error {
  override readonly name = 'NetworkError'
  readonly reason: NetworkErrorReason
  /** How many times the client tried to send the request. */
  attempts = 1

  constructor({ reason, request, cause }: NetworkErrorOptions) {
    super(`${request}: no response (${reason}): ${innermostMessage(cause)}`, { cause })
    this.reason = reason
  }
}
