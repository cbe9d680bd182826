// The issues that zod finds in options, with the names that were probably meant.
import { describeUnknown } from '@queue/loop/arguments'
import { z } from 'zod'
import type { InputIssue } from './errors.ts'
import { plainPath } from './payload.ts'

/** A schema, and what it was to parse. */
interface Parsed {
  readonly schema: z.core.$ZodType
  readonly value: unknown
}

/** The issue of a value. A member that no option has is reported with the name that was probably meant. */
export function describedIssues(parsed: Parsed, { path, message, ...issue }: z.core.$ZodIssue): InputIssue[] {
  const shape = issue.code === 'unrecognized_keys' ? shapeAt(parsed, path) : undefined
  if (issue.code !== 'unrecognized_keys' || shape === undefined) return [{ path: plainPath(path), message }]
  const known = Object.keys(shape)
  return issue.keys.map((key) => ({ path: plainPath(path), message: describeUnknown(key, known) }))
}

/** The members of the object at this path; undefined where a schema is on the way whose parts are not known. */
function shapeAt(
  { schema, value }: Parsed,
  path: readonly PropertyKey[],
): Readonly<Record<string, unknown>> | undefined {
  const inner = unwrapped(schema)
  if (inner !== undefined) return shapeAt({ schema: inner, value }, path)
  if (schema instanceof z.ZodDiscriminatedUnion) {
    const chosen = chosenOf(schema, value)
    return chosen && shapeAt({ schema: chosen, value }, path)
  }
  const [name, ...rest] = path
  if (schema instanceof z.ZodObject && name === undefined) return schema.shape
  const member = memberOf(schema, name)
  return (
    member && shapeAt({ schema: member, value: (value as Record<PropertyKey, unknown>)[name ?? ''] }, rest)
  )
}

/** The schema inside of one that adds something to it. */
function unwrapped(schema: z.core.$ZodType): z.core.$ZodType | undefined {
  if (schema instanceof z.ZodPipe) return schema.in
  const isWrapper =
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodNullable ||
    schema instanceof z.ZodDefault ||
    schema instanceof z.ZodPrefault
  return isWrapper ? schema.unwrap() : undefined
}

function memberOf(schema: z.core.$ZodType, name: PropertyKey | undefined): z.core.$ZodType | undefined {
  if (schema instanceof z.ZodArray) return schema.element
  return schema instanceof z.ZodObject ? schema.shape[String(name)] : undefined
}

/** The member of a union that the value names. */
function chosenOf(
  { options, def: { discriminator } }: z.ZodDiscriminatedUnion,
  value: unknown,
): z.core.$ZodType | undefined {
  const named = (value as Readonly<Record<string, unknown>>)[discriminator]
  return options.find((option) => option._zod.propValues?.[discriminator]?.has(named as string))
}
