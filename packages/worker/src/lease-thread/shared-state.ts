/** The state that the main thread and the lease thread share in memory, so that neither waits for the other's event loop. */
export interface SharedState {
  readonly buffer: SharedArrayBuffer
  /** The main thread calls it regularly while its event loop runs. */
  beat(): void
  beats(): bigint
  /** When the last renewal that succeeded was sent, by `monotonicMs`. */
  publishRenewal(ms: number): void
  renewedMs(): number
}

const fields = { beats: 0, renewed: 1 } as const

/** A view of `buffer`, or of a new one. */
export function sharedState(
  buffer = new SharedArrayBuffer(Object.keys(fields).length * BigInt64Array.BYTES_PER_ELEMENT),
): SharedState {
  const cells = new BigInt64Array(buffer)
  return {
    buffer,
    beat: () => void Atomics.add(cells, fields.beats, 1n),
    beats: () => Atomics.load(cells, fields.beats),
    publishRenewal: (ms) => void Atomics.store(cells, fields.renewed, BigInt(Math.floor(ms))),
    renewedMs: () => Number(Atomics.load(cells, fields.renewed)),
  }
}
