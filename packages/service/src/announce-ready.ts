/** The message of a process to the one that started it. */
export interface ReadyMessage {
  readonly type: 'ready'
  /** Where it listens. */
  readonly url: string
}

/**
 * Tells the process that started this one that work can begin, over the channel of `child_process` ('ipc'). A probe could
 * reach another process at the same address; this message cannot come from one. Does nothing without a channel.
 */
export function announceReady(url: string): void {
  if (!process.connected) return
  // The parent may have ended meanwhile, which is no failure of this process.
  process.send?.({ type: 'ready', url } satisfies ReadyMessage, () => undefined)
}
