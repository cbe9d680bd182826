import { type SnakeCase, toCamelCase, toSnakeCase } from '@queue/core/plain'

/** Members that contain documents of the caller, whose members are not renamed. */
const documents = ['payload', 'result', 'metadata', 'fields', 'filter'] as const
type Document = (typeof documents)[number]

/** A value of the library in the names and types of the API: snake_case names, times as text. */
export type Wire<Value> = Value extends Date
  ? string
  : Value extends readonly (infer Item)[]
    ? Wire<Item>[]
    : Value extends object
      ? {
          [Name in keyof Value & string as SnakeCase<Name>]: Name extends 'metadata'
            ? Value[Name]
            : Name extends Document
              ? unknown
              : Wire<Value[Name]>
        }
      : Value

/** Encodes a value of the library. The compiler compares the result with the types of the client; a test compares values. */
export function toWire<Value>(value: Value): Wire<Value> {
  return encode(value) as Wire<Value>
}

function encode(value: unknown): unknown {
  if (value instanceof Date) return value.toISOString()
  if (Array.isArray(value)) return value.map(encode)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      toSnakeCase(name),
      documents.some((document) => document === name) ? member : encode(member),
    ]),
  )
}

/** Converts API names to those of the library: `created_after` to `createdAfter`, with a Date. */
export function toFilter(request: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(request)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => [
        name === 'tenant' ? 'tenantId' : toCamelCase(name),
        /_(?:after|before)$/.test(name) && typeof value === 'string'
          ? new Date(value)
          : name === 'metadata'
            ? value
            : camelCased(value),
      ]),
  )
}

/** A retry policy is the only value whose members have to be renamed. */
function camelCased(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [toCamelCase(name), member]))
}
