/** The state that the main thread and the lease thread share in memory, so that neither waits for the other's event loop. */
export interface SharedState {
  readonly buffer: SharedArrayBuffer
  /** The main thread calls it regularly while its event loop runs. */
  beat(): void
  beats(): bigint
  /** When the earliest running attempt must have ended, by `monotonicMs`; 0 = no attempt has a timeout. */
  publishDeadline(ms: number): void
  deadlineMs(): number
  /** When the last renewal that succeeded was sent, by `monotonicMs`. */
  publishRenewal(ms: number): void
  renewedMs(): number
}

const fields = { beats: 0, deadline: 1, renewed: 2 } as const

/** A view of `buffer`, or of a new one. */
export function sharedState(
  buffer = new SharedArrayBuffer(Object.keys(fields).length * BigInt64Array.BYTES_PER_ELEMENT),
): SharedState {
  const cells = new BigInt64Array(buffer)
  const read = (index: number): number => Number(Atomics.load(cells, index))
  const write = (index: number, ms: number): void => void Atomics.store(cells, index, BigInt(ms))
  return {
    buffer,
    beat: () => void Atomics.add(cells, fields.beats, 1n),
    beats: () => Atomics.load(cells, fields.beats),
    publishDeadline: (ms) => write(fields.deadline, Math.ceil(ms)),
    deadlineMs: () => read(fields.deadline),
    publishRenewal: (ms) => write(fields.renewed, Math.floor(ms)),
    renewedMs: () => read(fields.renewed),
  }
}
