import { limits } from '@queue/core'

/**
 * The bytes of everything that waits in this process to be written: log lines, progress, results and errors. Slots do not bound
 * them, because a slot is free before the end of its job is written.
 */
export interface UnwrittenBytes {
  /** Called with a number of bytes when they begin to wait, and with its negative when they are written or given up. */
  add(bytes: number): void
  /** From half of the bound on no further job begins, so that attempts that log as much as they may seldom lose a line. */
  readonly isHigh: boolean
  /** At the bound log lines are dropped. Nothing else can be: progress and ends are bounded by the jobs that have begun. */
  readonly isFull: boolean
}

export function createUnwrittenBytes(): UnwrittenBytes {
  let waiting = 0
  return {
    add: (bytes) => void (waiting += bytes),
    get isHigh() {
      return waiting >= limits.unwrittenBytesMax / 2
    },
    get isFull() {
      return waiting >= limits.unwrittenBytesMax
    },
  }
}
