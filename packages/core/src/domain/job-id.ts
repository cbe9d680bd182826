import { randomFillSync } from 'node:crypto'

/** Fills the buffer with random bytes. */
export type FillRandom = (bytes: Uint8Array) => void

export interface JobIdSource {
  /** The database's clock as last measured, in milliseconds since 1970. */
  readonly databaseNowMs: () => number
  readonly fillRandom?: FillRandom
}

const sequenceMax = 0xffff_ffff
const poolBytes = 8_192
const bytesPerId = 10

/**
 * Mints UUIDv7 (RFC 9562, section 5.7), strictly increasing within this process, also when the clock stands still
 * or steps back: a 32-bit sequence follows the millisecond (section 6.2, method 1), seeded at random in its lower
 * half each millisecond; when it is used up, the id borrows the next millisecond.
 */
export function createJobIdGenerator(source: JobIdSource): () => string {
  const randomness = createRandomPool(source.fillRandom ?? ((bytes) => void randomFillSync(bytes)))
  let lastMs = 0
  let sequence = 0
  return () => {
    const random = randomness(bytesPerId)
    const nowMs = Math.floor(source.databaseNowMs())
    if (nowMs > lastMs) {
      lastMs = nowMs
      sequence = random.readUInt32BE(0) >>> 1
    } else if (sequence < sequenceMax) {
      sequence += 1
    } else {
      lastMs += 1
      sequence = random.readUInt32BE(0) >>> 1
    }
    return formatJobId(lastMs, sequence, random)
  }
}

function createRandomPool(fill: FillRandom): (length: number) => Buffer {
  const pool = Buffer.alloc(poolBytes)
  let used = poolBytes
  return (length) => {
    if (used + length > poolBytes) {
      fill(pool)
      used = 0
    }
    const slice = pool.subarray(used, used + length)
    used += length
    return slice
  }
}

/** 48 bits of time, version 7, 12 + 18 + 2 bits of sequence around the variant, 44 random bits. */
function formatJobId(ms: number, sequence: number, random: Buffer): string {
  const time = hex(ms, 12)
  const high = hex(sequence >>> 20, 3)
  const middle = hex(0x8000 | ((sequence >>> 6) & 0x3fff), 4)
  const low = hex(((sequence & 0x3f) << 2) | (random.readUInt8(4) & 0x3), 2)
  return `${time.slice(0, 8)}-${time.slice(8)}-7${high}-${middle}-${low}${random.toString('hex', 5, 10)}`
}

function hex(value: number, digits: number): string {
  return value.toString(16).padStart(digits, '0')
}

/** The smallest id that a job created at `ms` (milliseconds since 1970) or later can have. */
export function smallestJobIdAt(ms: number): string {
  const time = hex(Math.max(0, Math.floor(ms)), 12)
  return `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-000000000000`
}

const uuidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** Whether `text` has the form of a UUID; only such text may reach a uuid column. */
export function isJobId(text: string): boolean {
  return uuidPattern.test(text)
}
