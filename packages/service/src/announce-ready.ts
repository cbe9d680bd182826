/** What a process says to the one that started it. */
export interface ReadyMessage {
  readonly type: 'ready'
  /** Where it listens. */
  readonly url: string
}

/**
 * Tells the process that started this one that work can begin, over the channel of `child_process` ('ipc'). Nobody
 * else can say that, whatever answers at the same address. Does nothing where there is no channel.
 */
export function announceReady(url: string): void {
  if (!process.connected) return
  // Whoever asked may have gone meanwhile, which is no failure of this process.
  process.send?.({ type: 'ready', url } satisfies ReadyMessage, () => undefined)
}
