import fc from 'fast-check'
import { resolvePointer } from './document.ts'

/** What JSON Schema says of a value, as far as the document says it. */
interface Schema {
  readonly $ref?: string
  readonly oneOf?: readonly Schema[]
  readonly anyOf?: readonly Schema[]
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly type?: string | readonly string[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly additionalProperties?: boolean | Schema
  readonly minProperties?: number
  readonly propertyNames?: Schema
  readonly items?: Schema
  readonly minItems?: number
  readonly maxItems?: number
  readonly minimum?: number
  readonly maximum?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly pattern?: string
  readonly format?: string
}

/** Of lists and texts that may be longer, only some are. */
const usualLengthMax = 12

/** Values that the schema allows, the odd ones among them too. What it says more than this knows, the caller checks. */
export function validValues(schema: Schema): fc.Arbitrary<unknown> {
  if (schema.$ref !== undefined) return validValues(resolvePointer(schema.$ref.slice(1)) as Schema)
  const choices = schema.oneOf ?? schema.anyOf
  if (choices !== undefined) return fc.oneof(...choices.map(validValues))
  if ('const' in schema) return fc.constant(schema.const)
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum)
  const types = [schema.type ?? 'any'].flat()
  return fc.oneof(...types.map((type) => ofType(type, schema)))
}

function ofType(type: string, schema: Schema): fc.Arbitrary<unknown> {
  switch (type) {
    case 'null':
      return fc.constant(null)
    case 'boolean':
      return fc.boolean()
    case 'integer':
      return integers(schema)
    case 'number':
      return fc.oneof(fc.integer(), fc.double({ noNaN: true, min: -1e6, max: 1e6 }))
    case 'string':
      return texts(schema)
    case 'array':
      return fc.array(validValues(schema.items ?? {}), {
        minLength: schema.minItems ?? 0,
        maxLength: Math.min(schema.maxItems ?? usualLengthMax, usualLengthMax),
      })
    case 'object':
      return objects(schema)
    case 'any':
      return anything
    default:
      throw new Error(`no values are known of the type ${type}`)
  }
}

function integers({
  minimum = Number.MIN_SAFE_INTEGER,
  maximum = Number.MAX_SAFE_INTEGER,
}: Schema): fc.Arbitrary<number> {
  return fc.oneof(fc.integer({ min: minimum, max: maximum }), fc.constantFrom(minimum, maximum))
}

function objects(schema: Schema): fc.Arbitrary<unknown> {
  const { properties = {}, required = [], additionalProperties, propertyNames, minProperties = 0 } = schema
  const members = Object.entries(properties).map(([name, one]) => [name, validValues(one)] as const)
  const some = fc
    .subarray(members.filter(([name]) => !required.includes(name)))
    .chain((chosen) =>
      fc.record(Object.fromEntries([...members.filter(([name]) => required.includes(name)), ...chosen])),
    )
  // Objects with most of their members seldom keep all the rules between them.
  const named = fc.oneof(some, fc.record(Object.fromEntries(members), { requiredKeys: [...required] }))
  if (typeof additionalProperties !== 'object') return named
  const others = fc.dictionary(texts(propertyNames ?? {}), validValues(additionalProperties), {
    minKeys: minProperties,
    maxKeys: 5,
  })
  return fc.tuple(others, named).map(([more, known]) => ({ ...more, ...known }))
}

/** A half of a pair, any character, and what is usual. */
const unit = fc.oneof(
  { weight: 1, arbitrary: fc.integer({ min: 0, max: 0xff_ff }).map((code) => String.fromCharCode(code)) },
  // The unit of fast-check's own, 'binary', makes a map of all million characters first.
  { weight: 2, arbitrary: fc.integer({ min: 0, max: 0x10_ff_ff }).map((code) => String.fromCodePoint(code)) },
  { weight: 20, arbitrary: fc.string({ unit: 'grapheme-ascii', minLength: 1, maxLength: 1 }) },
)

function texts({ pattern, format, minLength = 0, maxLength = usualLengthMax }: Schema): fc.Arbitrary<string> {
  if (pattern !== undefined) return fc.stringMatching(new RegExp(pattern))
  const known = format === undefined ? undefined : formats[format]
  if (known !== undefined) return known
  if (format !== undefined) throw new Error(`no values are known of the format ${format}`)
  return fc.oneof(
    { weight: 20, arbitrary: fc.string({ unit, minLength, maxLength: Math.max(minLength, usualLengthMax) }) },
    // As many as there may be, each of which is one to JSON Schema.
    { weight: 1, arbitrary: fc.constantFrom('a', 'é', '🦀').map((one) => one.repeat(maxLength)) },
  )
}

const instants = fc
  .tuple(
    fc.date({ min: new Date(0), max: new Date('9999-12-30T00:00:00Z'), noInvalidDate: true }),
    fc.constantFrom('Z', '+00:00', '-07:00', '+14:00'),
    fc.constantFrom('', '.1', '.123456', '.123456789'),
  )
  .map(([date, offset, fraction]) => date.toISOString().slice(0, 19) + fraction + offset)

const formats: Readonly<Record<string, fc.Arbitrary<string>>> = {
  'date-time': fc.oneof(
    { weight: 10, arbitrary: instants },
    {
      weight: 1,
      arbitrary: fc.constantFrom(
        '1990-12-31T23:59:60Z',
        '1937-01-01T12:00:27.87+00:20',
        '0000-01-01T00:00:00Z',
        '2026-01-15t09:30:00z',
        '9999-12-31T23:59:59-23:00',
      ),
    },
  ),
  uri: fc.oneof(
    fc.webUrl({ validSchemes: ['http', 'https'], withQueryParameters: true, withFragments: true }),
    fc.constantFrom('HTTP://EXAMPLE.COM/', 'http://[::1]:8080/a?b#c', 'https://u:p@a.example:443'),
    fc.constantFrom('ftp://a.example/', 'urn:a:b', 'mailto:ada@example.com', 'http:a', 'http:///a'),
  ),
  uuid: fc.uuid(),
}

const anything = fc.oneof(
  { weight: 8, arbitrary: fc.jsonValue({ maxDepth: 4 }) },
  { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 2, stringUnit: unit }) },
  { weight: 1, arbitrary: fc.constantFrom<unknown>(JSON.parse('{"__proto__":1}'), 5e-324, 1e300, [[[]]]) },
)
