/** How many requests may be sent with a key: a token bucket. */
export interface Rate {
  /** So many … */
  readonly count: number
  /** … in so many seconds, … */
  readonly perSeconds: number
  /** … and so many at once, after a pause. */
  readonly burst: number
}

/** A rate as the table has it. */
export interface StoredRate {
  readonly count: number
  readonly per_seconds: number
  readonly burst: number
}

const rateCountMax = 1_000_000
const rateSecondsMax = 86_400
/** Processes share a key's requests ten times a second: a smaller burst would limit the key to less than its rate. */
const burstSecondsMin = 0.1

export const rateForm =
  'COUNT/SECONDS or COUNT/SECONDS/BURST, such as 100/60 or 100/60/20; a burst of at least a tenth of a second'

/** A rate from its text, `100/60/20`; without a burst that is the count. Undefined when it is none. */
export function parseRate(text: string): Rate | undefined {
  const [, count, seconds, given] = /^(\d{1,7})\/(\d{1,5})(?:\/(\d{1,7}))?$/.exec(text) ?? []
  if (count === undefined || seconds === undefined) return undefined
  const rate = { count: Number(count), perSeconds: Number(seconds), burst: Number(given ?? count) }
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

/** The text that `parseRate` reads. */
export function formatRate({ count, perSeconds, burst }: Rate): string {
  return `${count}/${perSeconds}/${burst}`
}

export function encodeRate(rate: Rate | undefined): string | null {
  if (rate === undefined) return null
  const stored: StoredRate = { count: rate.count, per_seconds: rate.perSeconds, burst: rate.burst }
  return JSON.stringify(stored)
}

/** The rate of a row, whose column was read as text. */
export function decodeRate(text: string | null): Rate | null {
  if (text === null) return null
  const { count, per_seconds: perSeconds, burst } = JSON.parse(text) as StoredRate
  return { count, perSeconds, burst }
}
