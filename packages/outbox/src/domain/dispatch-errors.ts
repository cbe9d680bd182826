/** No further attempt can deliver the message: it becomes a dead letter at once. Thrown by a target or a handler. */
export class Undeliverable extends Error {
  override readonly name = 'Undeliverable'
}

/**
 * The fault lies with the target and not with the message: the target cannot be reached, or refuses everything. The attempt is
 * not charged, and the relay tries one message at a time until the target is back. Thrown by a target or a handler.
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
