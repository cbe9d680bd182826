import { type JsonValue, limits } from '@queue/core'
import { findJsonFault } from '@queue/core/runtime'

/** How many members of the path to a fault are shown. */
const shownPathMax = 8

/** What a handler returned is no JSON that PostgreSQL can store and give back as it was. */
export class InvalidResult extends Error {
  override readonly name = 'InvalidResult'
}

/**
 * A copy of `result` as the database will hold it: dates are texts, undefined members are gone, later changes by
 * the handler do not reach it. An undefined result is null. Throws `InvalidResult` when something in it (a BigInt,
 * a cycle, a function, NaN, U+0000, …) would be lost or refused.
 */
export function storableResult(result: unknown): JsonValue {
  if (result === undefined || result === null) return null
  const text = writeJson(result)
  const fault = findJsonFault(result, { depthMax: limits.payloadDepthMax })
  if (fault !== undefined) throw new InvalidResult(`the result${describePath(fault.path)} ${fault.message}`)
  return JSON.parse(text ?? 'null') as JsonValue
}

function writeJson(value: unknown): string | undefined {
  try {
    // Functions and symbols have no JSON text; findJsonFault then says so.
    return JSON.stringify(value)
  } catch (cause) {
    throw new InvalidResult('the result cannot be written as JSON', { cause })
  }
}

function describePath(path: readonly (string | number)[]): string {
  if (path.length === 0) return ''
  const shown = path.slice(0, shownPathMax).join('.')
  return ` at ${path.length > shownPathMax ? `${shown}.…` : shown}`
}
