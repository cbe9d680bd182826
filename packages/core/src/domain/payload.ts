import { having, reasonOf, type Rule } from '@queue/loop/arguments'
import type { z } from 'zod'
import { type InputIssue, QueueError } from './errors.ts'
import { findJsonFault, type JsonValue, writtenOutBytes } from './json.ts'
import { absentTypes } from './payload-schema.ts'
import { payloadBytesMax, payloadDepthMax, payloadNodesMax } from './limits.ts'

const parserRule = having('a schema of zod 4', 'safeParse')

/** A schema of zod 3 parses too, but neither its parts nor its JSON Schema can be read. */
export const schemaRule: Rule = (value) =>
  parserRule(value) ?? ('_zod' in (value as object) ? undefined : 'a schema of zod 4')

/** A refused input, with every issue of it. */
export interface Refused {
  readonly issues: readonly InputIssue[]
}

/** A payload in the form in which it is stored. */
export interface StoredPayload {
  /** The payload as a reader of the database gets it back: dates are texts, and undefined members are gone. */
  readonly value: JsonValue
  readonly text: string
}

const payloadBounds = { depthMax: payloadDepthMax, nodesMax: payloadNodesMax, isInput: true }

/**
 * Checks that jsonb can hold the payload and that its schema accepts it. The schema sees the payload in its stored
 * form, because it has to parse that again before the handler runs.
 */
export function checkPayload(schema: z.ZodType, payload: unknown): StoredPayload | Refused {
  const stored = writePayload(payload)
  if ('issues' in stored) return stored
  const faults = zodFaults(schema, stored.value)
  return faults.length === 0 ? stored : { issues: atPayload(faults) }
}

/**
 * The payload in the form that jsonb can hold. Its structure is checked before any schema sees it: schemas recurse, and
 * many thousand levels of nesting would exhaust their stack.
 */
export function writePayload(payload: unknown): StoredPayload | Refused {
  try {
    return writeReadable(payload)
  } catch (error) {
    return refusalOf(error, ['payload'])
  }
}

/** What `read` returns. A refusal where the input throws while it is read: a getter may, and a revoked proxy does. */
export function readOrRefuse<Result>(read: () => Result): Result | Refused {
  try {
    return read()
  } catch (error) {
    return refusalOf(error, [])
  }
}

function refusalOf(error: unknown, path: InputIssue['path']): Refused {
  if (error instanceof QueueError) throw error
  return { issues: [{ path, message: `must be readable, but reading it throws: ${reasonOf(error)}` }] }
}

function writeReadable(payload: unknown): StoredPayload | Refused {
  const fault = findJsonFault(payload, payloadBounds)
  if (fault !== undefined) return { issues: atPayload([fault]) }
  const text = JSON.stringify(payload)
  if (writtenOutBytes(text) > payloadBytesMax) {
    return { issues: atPayload([{ path: [], message: `is larger than ${payloadBytesMax} bytes` }]) }
  }
  return { value: JSON.parse(text) as JsonValue, text }
}

/**
 * The issues that a schema finds. An unknown member is reported at its own path. A union with null is reported by the
 * issues of its other branch.
 */
export function zodFaults(schema: z.ZodType, value: JsonValue): readonly InputIssue[] {
  const parsed = parseNow(schema, value)
  return parsed.success ? noIssues : parsed.error.issues.flatMap((issue) => faultsIn(issue, []))
}

const noIssues: readonly InputIssue[] = []

/** The message of zod's error, whose class differs between copies of zod. */
const asyncMessage = 'Encountered Promise during synchronous parse'

/** Parses without waiting. Throws `invalid_options` where a refinement or a transform of the schema is async. */
export function parseNow<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
): z.ZodSafeParseResult<z.output<Schema>> {
  try {
    return schema.safeParse(value)
  } catch (error) {
    if (!isAsync(error) && !isAsync(errorWithoutJit(schema, value))) throw error
    const message =
      'the schema of a payload has an async refinement or transform, which is not supported: check such conditions before the enqueue, or in the handler'
    throw new QueueError('invalid_options', message, { cause: error })
  }
}

function isAsync(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith(asyncMessage)
}

/** The compiled code of zod's objects reads a promise as if it were a result, and throws a TypeError. */
function errorWithoutJit(schema: z.ZodType, value: unknown): unknown {
  try {
    schema.safeParse(value, { jitless: true })
    return undefined
  } catch (error) {
    return error
  }
}

function faultsIn(issue: z.core.$ZodIssue, parentPath: InputIssue['path']): readonly InputIssue[] {
  const path = [...parentPath, ...plainPath(issue.path)]
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({ path: [...path, key], message: 'unknown field' }))
  }
  if (issue.code === 'invalid_union') {
    const [branch, ...others] = issue.errors.filter((errors) => !errors.every(expectsNull))
    if (branch !== undefined && others.length === 0) return branch.flatMap((nested) => faultsIn(nested, path))
  }
  const absent = issue.code === 'invalid_type' ? absentTypes[issue.expected] : undefined
  return [{ path, message: absent ?? issue.message }]
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
