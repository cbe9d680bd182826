export interface ShareReadingsOptions<Value> {
  readonly read: () => Promise<Value>
  /** Milliseconds for which one reading serves every scrape; default 5 000. */
  readonly cacheMs?: number
  /** Milliseconds that a scrape waits for a reading; default 2 000. */
  readonly waitMs?: number
}

const cacheMsDefault = 5_000
const waitMsDefault = 2_000

interface Reading<Value> {
  readonly startedAtMs: number
  readonly answer: Promise<Value>
  ended: boolean
}

/**
 * Returns a function that resolves with the latest reading, or with a new one if it is too old. A failed reading is kept as long,
 * so that scrapes do not flood a database that is down.
 */
export function shareReadings<Value>({
  read,
  cacheMs = cacheMsDefault,
  waitMs = waitMsDefault,
}: ShareReadingsOptions<Value>): () => Promise<Value> {
  let latest: Reading<Value> | undefined
  return () => {
    if (latest === undefined || (latest.ended && performance.now() - latest.startedAtMs >= cacheMs)) {
      latest = begin(read)
    }
    return within(latest.answer, waitMs)
  }
}

function begin<Value>(read: () => Promise<Value>): Reading<Value> {
  const reading: Reading<Value> = { startedAtMs: performance.now(), answer: read(), ended: false }
  const end = (): void => {
    reading.ended = true
  }
  reading.answer.then(end, end)
  return reading
}

async function within<Value>(value: Promise<Value>, ms: number): Promise<Value> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`no reading within ${ms} ms`)), ms)
  })
  try {
    return await Promise.race([value, late])
  } finally {
    clearTimeout(timer)
  }
}
