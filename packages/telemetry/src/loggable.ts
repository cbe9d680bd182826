import { types } from 'node:util'
import { isSecretKey, redactText, redacted } from './redact.ts'

/** A value in the form in which it is logged: plain data, acyclic, bounded, without secrets. */
export type Loggable = string | number | boolean | null | Loggable[] | { [key: string]: Loggable }

const depthMax = 8
const nodesMax = 1_000
const stringCharsMax = 16_384
const lineCharsMax = 65_536
const keyCharsMax = 200

/** The state of one conversion: the remaining bounds, and the objects that contain the current value. */
interface Walk {
  nodesLeft: number
  charsLeft: number
  readonly ancestors: Set<object>
}

/**
 * Turns any value into plain data that JSON can write. It never throws and never takes long: cycles, BigInt, getters that throw,
 * proxies and large values are replaced by a short text that describes them.
 */
export function toLoggable(value: unknown): Loggable {
  return convert(value, { nodesLeft: nodesMax, charsLeft: lineCharsMax, ancestors: new Set() })
}

function convert(value: unknown, walk: Walk): Loggable {
  walk.nodesLeft -= 1
  if (typeof value === 'string') return boundedText(value, walk)
  if (typeof value === 'number') return Number.isFinite(value) ? value : String(value)
  if (typeof value === 'boolean' || value === null) return value
  if (typeof value === 'bigint') return BigInt.asIntN(256, value) === value ? value.toString() : '[bigint]'
  if (typeof value === 'object') return convertObject(value, walk)
  return value === undefined ? '[undefined]' : `[${typeof value}]`
}

function convertObject(value: object, walk: Walk): Loggable {
  if (walk.ancestors.has(value)) return '[circular]'
  if (walk.ancestors.size >= depthMax) return '[too deep]'
  walk.ancestors.add(value)
  try {
    return convertContents(value, walk)
  } catch {
    return '[unreadable]'
  } finally {
    walk.ancestors.delete(value)
  }
}

function convertContents(value: object, walk: Walk): Loggable {
  // An error of another realm, such as a vm context, is not an instance of this realm's Error.
  if (types.isNativeError(value) || value instanceof Error) return convertError(value, walk)
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? '[invalid date]' : value.toISOString()
  if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`
  if (Array.isArray(value)) return convertItems(value, value.length, walk)
  if (value instanceof Set) return convertItems(value, value.size, walk)
  if (value instanceof Map) return convertEntries(value, value.size, walk)
  if ('toJSON' in value && typeof value.toJSON === 'function') return convert(value.toJSON(), walk)
  const keys = Object.keys(value)
  return convertEntries(readEntries(value, keys), keys.length, walk)
}

/**
 * Converts only the standard members of an error. Drivers add others, such as the failing row or the statement's parameters,
 * which are payloads.
 */
function convertError(error: Error, walk: Walk): Loggable {
  const entries: [string, unknown][] = [
    ['name', error.name],
    ['message', error.message],
  ]
  if ('code' in error && error.code !== undefined) entries.push(['code', error.code])
  if (error.stack !== undefined) entries.push(['stack', error.stack])
  if (error.cause !== undefined) entries.push(['cause', error.cause])
  if ('errors' in error && Array.isArray(error.errors)) entries.push(['errors', error.errors])
  return convertEntries(entries, entries.length, walk)
}

function convertItems(items: Iterable<unknown>, count: number, walk: Walk): Loggable {
  const converted: Loggable[] = []
  for (const item of items) {
    if (walk.nodesLeft <= 0 || walk.charsLeft <= 0) {
      converted.push(`[${count - converted.length} more]`)
      break
    }
    converted.push(convert(item, walk))
  }
  return converted
}

function convertEntries(entries: Iterable<readonly [unknown, unknown]>, count: number, walk: Walk): Loggable {
  // Without a prototype, a field named __proto__ is a field like any other.
  const converted: { [key: string]: Loggable } = Object.create(null)
  let convertedCount = 0
  for (const [key, item] of entries) {
    if (walk.nodesLeft <= 0 || walk.charsLeft <= 0) {
      converted['…'] = `[${count - convertedCount} more]`
      break
    }
    convertedCount += 1
    if (item === undefined) continue
    const name = redactText(String(key).slice(0, keyCharsMax))
    walk.charsLeft -= name.length
    converted[name] = isSecretKey(name) ? redacted : convert(item, walk)
  }
  return converted
}

function* readEntries(value: object, keys: readonly string[]): Generator<[string, unknown]> {
  for (const key of keys) yield [key, readProperty(value, key)]
}

function readProperty(value: object, key: string): unknown {
  try {
    return Reflect.get(value, key)
  } catch {
    return '[unreadable]'
  }
}

/** Masks twice the shown length before it cuts, so that the cut cannot separate a password from its address. */
function boundedText(text: string, walk: Walk): string {
  const charsMax = Math.max(0, Math.min(stringCharsMax, walk.charsLeft))
  const clean = redactText(text.slice(0, 2 * stringCharsMax))
  const shown = clean.slice(0, charsMax)
  walk.charsLeft -= shown.length
  const dropped = Math.max(clean.length, text.length) - shown.length
  return text.length > 2 * stringCharsMax || clean.length > charsMax
    ? `${shown}… [${dropped} more characters]`
    : shown
}
