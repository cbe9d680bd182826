/** The message of a process to its parent. */
export interface ReadyMessage {
  readonly type: 'ready'
  /** The URL on which it listens. */
  readonly url: string
}

/**
 * Tells the parent process that work can begin, over the 'ipc' channel of `child_process`. A probe could reach another process at
 * the same address; this message can only come from this process. Does nothing without a channel.
 */
export function announceReady(url: string): void {
  if (!process.connected) return
  // The parent may have ended meanwhile, which is not an error of this process.
  process.send?.({ type: 'ready', url } satisfies ReadyMessage, () => undefined)
}
