/** No further attempt can deliver the message: it goes to the dead letters at once. Thrown by a target or a handler. */
export class Undeliverable extends Error {
  override readonly name = 'Undeliverable'
}

/**
 * What is wrong is the place and not the message: it cannot be reached, or refuses everybody. The attempt is not
 * charged, and the relay asks again with one message at a time until it is back. Thrown by a target or a handler.
 */
export class TargetUnavailable extends Error {
  override readonly name = 'TargetUnavailable'
}

/** Why the signal of a dispatch aborted. */
export class DispatchAborted extends Error {
  override readonly name = 'DispatchAborted'
  readonly reason: 'timeout' | 'shutdown'

  constructor(reason: DispatchAborted['reason'], message: string) {
    super(message)
    this.reason = reason
  }
}
