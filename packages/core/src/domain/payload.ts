import type { z } from 'zod'
import type { InputIssue } from './errors.ts'
import { findJsonFault, type JsonValue, writtenOutBytes } from './json.ts'
import { payloadBytesMax, payloadDepthMax, payloadNodesMax } from './limits.ts'

/** An input that is wrong, and everything that is wrong with it. */
export interface Refused {
  readonly issues: readonly InputIssue[]
}

/** A document as it is stored. */
export interface StoredPayload {
  /** The payload as a reader of the database gets it back: dates are texts, undefined members are gone. */
  readonly value: JsonValue
  readonly text: string
}

const payloadBounds = { depthMax: payloadDepthMax, nodesMax: payloadNodesMax }

/**
 * The payload that its schema accepts and jsonb can hold. The schema judges the payload as it is stored, because that is
 * what it has to parse again before the handler runs.
 */
export function checkPayload(schema: z.ZodType, payload: unknown): StoredPayload | Refused {
  const stored = writePayload(payload)
  if ('issues' in stored) return stored
  const faults = zodFaults(schema, stored.value)
  return faults.length === 0 ? stored : { issues: atPayload(faults) }
}

/**
 * The payload as jsonb can hold it. Its form is checked before any schema sees it: schemas recurse, and a nesting of many
 * thousand levels would exhaust their stack.
 */
export function writePayload(payload: unknown): StoredPayload | Refused {
  const fault = findJsonFault(payload, payloadBounds)
  if (fault !== undefined) return { issues: atPayload([fault]) }
  const text = JSON.stringify(payload)
  if (writtenOutBytes(text) > payloadBytesMax) {
    return { issues: atPayload([{ path: [], message: `is larger than ${payloadBytesMax} bytes` }]) }
  }
  return { value: JSON.parse(text) as JsonValue, text }
}

/**
 * What a schema finds wrong. A member that is not known is pointed at by its own path, and what may be null and is not by
 * what is wrong with it otherwise.
 */
export function zodFaults(schema: z.ZodType, value: JsonValue): readonly InputIssue[] {
  const parsed = schema.safeParse(value)
  return parsed.success ? [] : parsed.error.issues.flatMap((issue) => faultsIn(issue, []))
}

function faultsIn(issue: z.core.$ZodIssue, at: InputIssue['path']): readonly InputIssue[] {
  const path = [...at, ...plainPath(issue.path)]
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({ path: [...path, key], message: 'unknown field' }))
  }
  if (issue.code === 'invalid_union') {
    const [meant, ...others] = issue.errors.filter((errors) => !errors.every(expectsNull))
    if (meant !== undefined && others.length === 0) return meant.flatMap((one) => faultsIn(one, path))
  }
  return [{ path, message: issue.message }]
}

function expectsNull(issue: z.core.$ZodIssue): boolean {
  return issue.code === 'invalid_type' && issue.expected === 'null' && issue.path.length === 0
}

export function atPayload(issues: readonly InputIssue[]): InputIssue[] {
  return issues.map(({ path, message }) => ({ path: ['payload', ...path], message }))
}

export function plainPath(path: readonly PropertyKey[]): (string | number)[] {
  return path.map((part) => (typeof part === 'symbol' ? String(part) : part))
}
