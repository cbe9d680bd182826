/**
 * The permits of the jobs that may run at once. A permit is taken before the claim, so that nothing is claimed that
 * has no place to run.
 */
export interface Slots {
  readonly size: number
  readonly free: number
  /** Takes `count` permits; the caller has seen that so many are free. */
  take(count: number): void
  /** Gives permits back that no job came for: they count as free since they last became free. */
  untake(count: number): void
  /** A job starts in a taken slot; gives the milliseconds since that slot became free. */
  occupy(): number
  /** A job has left its slot. */
  release(): void
}

export function createSlots(size: number, nowMs: () => number): Slots {
  let free = size
  // When each slot that runs nothing became free, oldest first.
  const freeSinceMs = Array.from({ length: size }, nowMs)
  return {
    size,
    get free() {
      return free
    },
    take: (count) => {
      if (count > free) throw new RangeError(`${count} permits were asked for and ${free} are free`)
      free -= count
    },
    untake: (count) => {
      free += count
    },
    occupy: () => nowMs() - (freeSinceMs.shift() ?? nowMs()),
    release: () => {
      free += 1
      freeSinceMs.push(nowMs())
    },
  }
}
