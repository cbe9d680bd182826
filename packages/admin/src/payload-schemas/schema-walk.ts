import type { JsonValue } from '@queue/core'

/** A JSON Schema that is an object of keywords. */
export type Schema = { readonly [keyword: string]: JsonValue }

const byName = ['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas', 'dependencies']
const listed = ['allOf', 'anyOf', 'oneOf', 'prefixItems']
const single = [
  'items',
  'contains',
  'additionalProperties',
  'propertyNames',
  'not',
  'if',
  'then',
  'else',
  'unevaluatedItems',
  'unevaluatedProperties',
  'contentSchema',
]

/** The path of a schema within the whole schema. */
type Path = readonly (string | number)[]

/** Applies `change` to every schema within a schema, innermost first. */
export function mapSchemas(
  schema: JsonValue,
  change: (schema: Schema, path: Path) => Schema,
  path: Path = [],
): JsonValue {
  if (!isObject(schema)) return schema
  const within = (subschema: JsonValue, ...at: Path): JsonValue =>
    mapSchemas(subschema, change, [...path, ...at])
  const mapped = Object.entries(schema).map(([keyword, value]): [string, JsonValue] => {
    if (single.includes(keyword)) return [keyword, within(value, keyword)]
    if (listed.includes(keyword) && Array.isArray(value)) {
      return [keyword, value.map((subschema, index) => within(subschema, keyword, index))]
    }
    if (byName.includes(keyword) && isObject(value)) {
      const named = Object.entries(value).map(
        ([name, subschema]) => [name, within(subschema, keyword, name)] as const,
      )
      return [keyword, Object.fromEntries(named)]
    }
    return [keyword, value]
  })
  return change(Object.fromEntries(mapped), path)
}

/** Whether a value is a JSON object. */
export function isObject(value: unknown): value is { readonly [key: string]: JsonValue } {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The number of JSON values in the keywords of a schema, without those of its subschemas. */
export function ownNodes(schema: Schema): number {
  return Object.entries(schema).reduce((sum, [keyword, value]) => {
    if (single.includes(keyword)) return sum + 1
    if (listed.includes(keyword) || byName.includes(keyword)) return sum + sizeOf(value)
    return sum + nodesOf(value)
  }, 1)
}

function sizeOf(value: JsonValue): number {
  return typeof value === 'object' && value !== null ? Object.keys(value).length : 1
}

function nodesOf(value: JsonValue): number {
  if (typeof value !== 'object' || value === null) return 1
  return Object.values(value).reduce<number>((sum, child) => sum + nodesOf(child), 1)
}
