import { randomFillSync } from 'node:crypto'

/** Fills the buffer with random bytes. */
export type FillRandom = (bytes: Uint8Array) => void

export interface JobIdSource {
  /** The database's clock as last measured, in milliseconds since 1970. */
  readonly databaseNowMs: () => number
  readonly fillRandom?: FillRandom
}

/** The position of an id in time: its millisecond, and its number among the ids of that millisecond. */
export interface JobIdStamp {
  readonly ms: number
  /** 0..`sequenceMax`. */
  readonly sequence: number
}

export const sequenceMax = 0xffff_ffff
/** The largest time that fits the 48 bits of a UUIDv7: the year 10889. */
const timeMsMax = 2 ** 48 - 1
const bytesPerId = 10
/** Random bytes are taken in blocks of this many ids: one encoding of a block takes half the time of one for each id. */
const idsPerBlock = 800

/**
 * Mints ids of version UUIDv7 (RFC 9562, section 5.7) that strictly increase within this process, also when the clock
 * stands still or steps back. A 32-bit sequence follows the millisecond (section 6.2, method 1). Each millisecond seeds
 * it at random in its lower half. When the sequence is used up, the id takes the next millisecond.
 */
export function createJobIdGenerator({
  databaseNowMs,
  fillRandom = fillSecurely,
}: JobIdSource): () => string {
  const block = Buffer.alloc(idsPerBlock * bytesPerId)
  let blockText = ''
  let at = block.length
  let last: JobIdStamp = { ms: 0, sequence: 0 }
  return () => {
    if (at === block.length) {
      fillRandom(block)
      blockText = block.toString('hex')
      at = 0
    }
    last = nextStamp(last, Math.floor(databaseNowMs()), block.readUInt32BE(at) >>> 1)
    const twoBits = block.readUInt8(at + 4) & 0x3
    const fortyBits = blockText.slice(2 * at + 10, 2 * at + 20)
    at += bytesPerId
    return formatJobId(last, twoBits, fortyBits)
  }
}

function fillSecurely(bytes: Uint8Array): void {
  randomFillSync(bytes)
}

/** The stamp after `last`. Where the clock has moved on, it is at `nowMs`, and its sequence begins at `seed`. */
export function nextStamp(last: JobIdStamp, nowMs: number, seed: number): JobIdStamp {
  if (nowMs > last.ms) return { ms: nowMs, sequence: seed }
  if (last.sequence < sequenceMax) return { ms: last.ms, sequence: last.sequence + 1 }
  return { ms: last.ms + 1, sequence: seed }
}

/** The last time that was formatted, and its text. Ids that are minted together mostly share the millisecond. */
let lastFormatted = { ms: -1, text: '' }

function timeText(ms: number): string {
  if (lastFormatted.ms !== ms) {
    lastFormatted = { ms, text: `${hex(ms, 12).slice(0, 8)}-${hex(ms, 12).slice(8)}` }
  }
  return lastFormatted.text
}

/**
 * The layout is 48 bits of time, version 7, 12 bits of sequence, the variant, 14 + 6 bits of sequence, 42 random bits: two as a
 * number, and forty as ten hexadecimal digits.
 */
function formatJobId({ ms, sequence }: JobIdStamp, twoBits: number, fortyBits: string): string {
  const high = 0x7000 | (sequence >>> 20)
  const middle = 0x8000 | ((sequence >>> 6) & 0x3fff)
  const low = ((sequence & 0x3f) << 2) | twoBits
  return `${timeText(ms)}-${hex16(high)}-${hex16(middle)}-${hexBytes[low]}${fortyBits}`
}

const hexBytes = Array.from({ length: 256 }, (_, value) => hex(value, 2))

function hex16(value: number): string {
  return `${hexBytes[value >>> 8]}${hexBytes[value & 0xff]}`
}

function hex(value: number, digits: number): string {
  return value.toString(16).padStart(digits, '0')
}

/**
 * The smallest id of a job that is created at `ms` (milliseconds since 1970) or later. Instants before 1970 and after
 * the year 10889, which no id can hold, count as the nearest one that an id can hold.
 */
export function smallestJobIdAt(ms: number): string {
  const time = hex(Math.min(Math.max(0, Math.floor(ms)), timeMsMax), 12)
  return `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-000000000000`
}

/** When a job was created, read from its UUIDv7: milliseconds since 1970. */
export function createdMsOf(id: string): number {
  return Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16)
}

const uuidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** Whether `text` has the form of a UUID. Only such text may reach a uuid column. */
export function isJobId(text: string): boolean {
  return uuidPattern.test(text)
}
