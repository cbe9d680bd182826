import { isExactNumber } from '@queue/core/plain'

export interface JsonBounds {
  /** Maximum nesting of arrays and objects. */
  readonly depthMax: number
  /** Maximum number of values: each object, array, string, number, true, false and null counts. */
  readonly nodesMax: number
  /** Maximum number of members of all objects together. */
  readonly membersMax: number
  /** Maximum number of traps to report. */
  readonly trapsMax: number
}

/** A value that JSON.parse accepts, but that would be changed or misread later. */
export interface Trap {
  /** Path of the value: member names and array indexes. */
  readonly path: readonly (string | number)[]
  readonly message: string
}

export type JsonScan =
  | { readonly exceeds: 'depth' | 'nodes' | 'members' }
  | {
      readonly exceeds?: undefined
      /** The number of values, with the members of objects. */
      readonly values: number
      readonly traps: readonly Trap[]
    }

/** One level of nesting. */
interface Level {
  isArray: boolean
  /** In an array: the index of the current value. */
  index: number
  /** In an object: the offsets of the name of the current member, including its quotes. */
  nameStart: number
  nameEnd: number
}

const quote = 0x22
const plus = 0x2b
const comma = 0x2c
const minus = 0x2d
const dot = 0x2e
const digit0 = 0x30
const digit9 = 0x39
const colon = 0x3a
const openBracket = 0x5b
const backslash = 0x5c
const closeBracket = 0x5d
const letterA = 0x61
const letterE = 0x65
const letterZ = 0x7a
const openBrace = 0x7b
const closeBrace = 0x7d

/** A double represents every number of this many characters without an exponent. */
const exactLengthMax = 15
const forbiddenName = '__proto__'
/** Each of its letters can be written as an escape of six characters. */
const forbiddenNameTextMax = 6 * forbiddenName.length + 2

/**
 * Scans a JSON text once before it is parsed, so that a hostile document cannot cause deep recursion, or more values or members than
 * the bounds allow. Finds what JSON.parse would change: numbers that a double cannot represent exactly, and members named
 * `__proto__`. Takes linear time. For a text that is not JSON, the result has no meaning: JSON.parse refuses it afterwards.
 */
export function scanJson(text: string, bounds: JsonBounds): JsonScan {
  const scan = new Scan(text, bounds)
  for (let at = 0; at < text.length; ) {
    at = scan.readToken(at)
    if (scan.depth > bounds.depthMax) return { exceeds: 'depth' }
    if (scan.nodes > bounds.nodesMax) return { exceeds: 'nodes' }
    if (scan.members > bounds.membersMax) return { exceeds: 'members' }
  }
  return { values: scan.nodes + scan.members, traps: scan.traps }
}

class Scan {
  depth = 0
  nodes = 0
  members = 0
  readonly traps: Trap[] = []
  readonly #text: string
  readonly #trapsMax: number
  readonly #hasEscapes: boolean
  /** Level 0 is the text itself. Levels below `depth` are open; deeper ones are kept for reuse. */
  readonly #levels: Level[] = [newLevel()]
  #level = this.#levels[0] as Level
  readonly #mayForbid: boolean
  /** The last string. It is a member name if a colon follows. */
  #stringStart = 0
  #stringEnd = 0

  constructor(text: string, { trapsMax }: JsonBounds) {
    this.#text = text
    this.#trapsMax = trapsMax
    this.#hasEscapes = text.includes('\\')
    this.#mayForbid = this.#hasEscapes || text.includes(forbiddenName)
  }

  /** Reads the token at `start`, and returns the offset after it. */
  readToken(start: number): number {
    const code = this.#text.charCodeAt(start)
    switch (code) {
      case quote:
        return this.#readString(start)
      case colon:
        this.#nameMember()
        return start + 1
      case comma:
        this.#level.index += 1
        return start + 1
      case openBracket:
      case openBrace:
        this.#open(code === openBracket)
        return start + 1
      case closeBracket:
      case closeBrace:
        this.#close()
        return start + 1
      default:
        if (code === minus || isDigit(code)) return this.#readNumber(start)
        return isLetter(code) ? this.#readWord(start) : start + 1
    }
  }

  #open(isArray: boolean): void {
    this.nodes += 1
    this.depth += 1
    this.#level = this.#levels[this.depth] ??= newLevel()
    this.#level.isArray = isArray
    this.#level.index = 0
  }

  #close(): void {
    this.depth = Math.max(0, this.depth - 1)
    this.#level = this.#levels[this.depth] as Level
  }

  /** The string before the colon was a member name, not a value. */
  #nameMember(): void {
    this.nodes -= 1
    this.members += 1
    this.#level.nameStart = this.#stringStart
    this.#level.nameEnd = this.#stringEnd
    if (this.#mayForbid && this.#isForbidden(this.#level)) this.#trap('must not be a member name')
  }

  #isForbidden(level: Level): boolean {
    return level.nameEnd - level.nameStart <= forbiddenNameTextMax && this.#nameOf(level) === forbiddenName
  }

  #readString(start: number): number {
    this.nodes += 1
    let end = this.#text.indexOf('"', start + 1)
    while (this.#hasEscapes && end !== -1 && isEscaped(this.#text, end))
      end = this.#text.indexOf('"', end + 1)
    this.#stringStart = start
    this.#stringEnd = end === -1 ? this.#text.length : end + 1
    return this.#stringEnd
  }

  #readNumber(start: number): number {
    this.nodes += 1
    let end = endOfDigits(this.#text, start)
    const isLong = end - start > exactLengthMax
    const hasExponent = (this.#text.charCodeAt(end) | 0x20) === letterE
    if (hasExponent) end = endOfDigits(this.#text, end + 1)
    if (isLong || hasExponent) this.#checkNumber(this.#text.slice(start, end))
    return end
  }

  #checkNumber(source: string): void {
    if (!isExactNumber(source, Number(source)))
      this.#trap('cannot be represented exactly: send the number as a string')
  }

  /** Reads true, false or null. */
  #readWord(start: number): number {
    this.nodes += 1
    let at = start + 1
    while (isLetter(this.#text.charCodeAt(at))) at += 1
    return at
  }

  #trap(message: string): void {
    if (this.traps.length >= this.#trapsMax) return
    const open = this.#levels.slice(1, this.depth + 1)
    this.traps.push({
      path: open.map((level) => (level.isArray ? level.index : this.#nameOf(level))),
      message,
    })
  }

  #nameOf({ nameStart, nameEnd }: Level): string {
    const text = this.#text.slice(nameStart, nameEnd)
    if (!text.includes('\\')) return text.slice(1, -1)
    try {
      return String(JSON.parse(text))
    } catch {
      return text
    }
  }
}

function newLevel(): Level {
  return { isArray: false, index: 0, nameStart: 0, nameEnd: 0 }
}

function isDigit(code: number): boolean {
  return code >= digit0 && code <= digit9
}

function isLetter(code: number): boolean {
  return code >= letterA && code <= letterZ
}

/** A quote after an odd number of backslashes does not end its string. */
function isEscaped(text: string, at: number): boolean {
  let from = at
  while (text.charCodeAt(from - 1) === backslash) from -= 1
  return (at - from) % 2 === 1
}

/** The end of a mantissa or an exponent, including its sign. */
function endOfDigits(text: string, start: number): number {
  let at = start
  for (let code = text.charCodeAt(at); ; code = text.charCodeAt(at)) {
    if (!isDigit(code) && code !== dot && code !== minus && code !== plus) return at
    at += 1
  }
}
