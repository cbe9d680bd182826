import { mask } from '@queue/core/internal'

/** Shorter values would match almost anywhere. */
const matchedLengthMin = 3
/** A longer value is looked for in pieces of this length, so that a text shows no long part of it either. */
const pieceLength = 64
/** With more values than this, every text is hidden as a whole. */
const valuesMax = 500_000

/** An odd factor: a hash of 32 bits then depends on every character. */
const factor = 0x01000193
const filterSize = 65_536

/**
 * Finds many values in a text in one pass, and hides them. It compares rolling hashes: its time is that of the text, times the
 * number of distinct lengths of the values that can begin at a place, and never depends on how many values there are.
 */
export class ValueMatcher {
  readonly #values = new Map<number, string[]>()
  readonly #powers = powersOf(pieceLength)
  /** Whether a value begins with characters of this hash. */
  readonly #begins = new Uint8Array(filterSize)
  readonly #isLength = new Set<number>()
  /** The lengths of the values, the longest first. */
  #lengths: number[] = []
  #count = 0

  /** Adds a value that no text may show. */
  add(value: string): void {
    if (value.length < matchedLengthMin || this.#count > valuesMax) return
    for (let start = 0; start + pieceLength < value.length; start += pieceLength) {
      this.#addPiece(value.slice(start, start + pieceLength))
    }
    this.#addPiece(value.slice(-pieceLength))
  }

  #addPiece(piece: string): void {
    const key = keyOf(hashOf(piece), piece.length)
    const known = this.#values.get(key)
    if (known?.includes(piece)) return
    if (known === undefined) this.#values.set(key, [piece])
    else known.push(piece)
    this.#count += 1
    this.#begins[filterOf(hashOf(piece.slice(0, matchedLengthMin)))] = 1
    if (this.#isLength.has(piece.length)) return
    this.#isLength.add(piece.length)
    this.#lengths = [...this.#isLength].toSorted((a, b) => b - a)
  }

  /** The first `lengthMax` UTF-16 units of the text, with each value hidden, also one that reaches beyond them. `…` stands for the rest. */
  hide(text: string, lengthMax = Number.POSITIVE_INFINITY): string {
    if (this.#count === 0) return text
    if (this.#count > valuesMax) return mask
    const end = Math.min(text.length, lengthMax)
    const seen = text.slice(0, end + pieceLength)
    const hashes = prefixHashes(seen)
    let shown = ''
    // The end of what is hidden so far. Values that touch or overlap are hidden as one.
    let hiddenTo = -1
    for (let start = 0; start < end; start += 1) {
      const length = this.#lengthAt(seen, start, hashes)
      if (length === 0) continue
      if (start > hiddenTo) shown += seen.slice(Math.max(hiddenTo, 0), start) + mask
      hiddenTo = Math.max(hiddenTo, start + length)
    }
    return shown + seen.slice(Math.max(hiddenTo, 0), end) + (text.length > end ? '…' : '')
  }

  /** The length of the longest value that begins here; 0 if none does. */
  #lengthAt(text: string, start: number, hashes: Int32Array): number {
    const { length: textLength } = text
    if (start + matchedLengthMin > textLength) return 0
    if (this.#begins[filterOf(this.#hashAt(hashes, start, matchedLengthMin))] === 0) return 0
    for (const length of this.#lengths) {
      if (start + length > textLength) continue
      const candidates = this.#values.get(keyOf(this.#hashAt(hashes, start, length), length))
      if (candidates?.some((value) => value.length === length && text.startsWith(value, start))) return length
    }
    return 0
  }

  #hashAt(hashes: Int32Array, start: number, length: number): number {
    return ((hashes[start + length] ?? 0) - Math.imul(hashes[start] ?? 0, this.#powers[length] ?? 0)) | 0
  }
}

/** The hashes of all beginnings of the text. The hash of any part follows from two of them. */
function prefixHashes(text: string): Int32Array {
  const hashes = new Int32Array(text.length + 1)
  let hash = 0
  for (let index = 0; index < text.length; index += 1) {
    hash = (Math.imul(hash, factor) + text.charCodeAt(index)) | 0
    hashes[index + 1] = hash
  }
  return hashes
}

function hashOf(text: string): number {
  return prefixHashes(text)[text.length] ?? 0
}

function powersOf(length: number): Int32Array {
  const powers = new Int32Array(length + 1)
  powers[0] = 1
  for (let index = 1; index <= length; index += 1) powers[index] = Math.imul(powers[index - 1] ?? 0, factor)
  return powers
}

/** A hash with the length as a small integer, which a map finds fastest. */
function keyOf(hash: number, length: number): number {
  return (hash ^ Math.imul(length, 0x9e3779b1)) >>> 2
}

function filterOf(hash: number): number {
  return (hash ^ (hash >>> 16)) & (filterSize - 1)
}
