/** The rate of requests with a key: a token bucket. */
export interface Rate {
  /** Requests per `perSeconds`. */
  readonly count: number
  readonly perSeconds: number
  /** Requests at once, after a pause. */
  readonly burst: number
}

/** A rate in the form of the table. */
export interface StoredRate {
  readonly count: number
  readonly per_seconds: number
  readonly burst: number
}

const rateCountMax = 1_000_000
const rateSecondsMax = 86_400
/**
 * A process takes a key's requests from the shared bucket up to ten times a second. A smaller burst would limit the key
 * to less than its rate.
 */
const burstSecondsMin = 0.1

export const rateForm =
  'COUNT/SECONDS or COUNT/SECONDS/BURST, such as 100/60 or 100/60/20; a burst of at least a tenth of a second'

/** The rate of a text such as `100/60/20`; without a burst, the burst is the count. Undefined where the text is not a rate. */
export function parseRate(text: string): Rate | undefined {
  const [, count, seconds, burst] = /^(\d{1,7})\/(\d{1,5})(?:\/(\d{1,7}))?$/.exec(text) ?? []
  if (count === undefined || seconds === undefined) return undefined
  const rate = { count: Number(count), perSeconds: Number(seconds), burst: Number(burst ?? count) }
  return isRate(rate) ? rate : undefined
}

function isRate({ count, perSeconds, burst }: Rate): boolean {
  const inBounds =
    count >= 1 &&
    count <= rateCountMax &&
    perSeconds >= 1 &&
    perSeconds <= rateSecondsMax &&
    burst <= rateCountMax
  return inBounds && burst >= Math.max(1, (count / perSeconds) * burstSecondsMin)
}

/** The text from which `parseRate` reads the rate. */
export function formatRate({ count, perSeconds, burst }: Rate): string {
  return `${count}/${perSeconds}/${burst}`
}

export function encodeRate(rate: Rate | undefined): string | null {
  if (rate === undefined) return null
  const stored: StoredRate = { count: rate.count, per_seconds: rate.perSeconds, burst: rate.burst }
  return JSON.stringify(stored)
}

/** The rate in a column that was read as text. */
export function decodeRate(text: string | null): Rate | null {
  if (text === null) return null
  const { count, per_seconds: perSeconds, burst } = JSON.parse(text) as StoredRate
  return { count, perSeconds, burst }
}
