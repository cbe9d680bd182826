// Writes a value of the library as the members of a schema: a response has what the document declares, each member once.
import type { RetryPolicy } from '@queue/core'
import { encodeRetryPolicy } from '@queue/core/internal'
import { type CamelCase, toCamelCase } from '@queue/core/plain'
import type { z } from 'zod'
import { encodeUnique } from './unique.ts'

/** Members whose values have other names in the library, by their names on the wire. */
const encoders = {
  retry_policy: (policy: RetryPolicy | null) => policy && encodeRetryPolicy(policy),
  unique: encodeUnique,
}

/** The value of the library that becomes this value of the wire. */
type Encodable<Wire> = Wire extends string
  ? string extends Wire
    ? string | Date
    : Wire
  : Wire extends readonly (infer Item)[]
    ? readonly Item[]
    : Wire

type Members<Wire> = {
  readonly [Name in keyof Wire as CamelCase<Name & string>]: Name extends keyof typeof encoders
    ? Parameters<(typeof encoders)[Name]>[0]
    : Encodable<Wire[Name]>
}

/** The function that encodes the members of a schema, from a value that has them in the names of the library. */
export function encoderOf<Shape extends Readonly<Record<string, z.ZodType>>>(
  shape: Shape,
): (value: Members<z.output<z.ZodObject<Shape>>>) => z.output<z.ZodObject<Shape>> {
  const members = Object.keys(shape).map((member) => ({
    member,
    name: toCamelCase<string>(member),
    encode: (encoders as Readonly<Record<string, ((value: never) => unknown) | undefined>>)[member],
  }))
  // A copy of an object with all members is faster than one that grows (docs/decisions/0320).
  const blank = JSON.parse(
    JSON.stringify(Object.fromEntries(members.map(({ member }) => [member, null]))),
  ) as Record<string, unknown>
  return (value) => {
    const encoded = { ...blank }
    for (const { member, name, encode } of members) {
      const one = (value as Readonly<Record<string, unknown>>)[name]
      if (one === undefined) delete encoded[member]
      else if (one instanceof Date) encoded[member] = one.toISOString()
      else encoded[member] = encode === undefined ? one : encode(one as never)
    }
    return encoded as z.output<z.ZodObject<Shape>>
  }
}
