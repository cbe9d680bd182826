import { z } from 'zod'
import type { InputIssue } from './errors.ts'
import type { JsonValue } from './json.ts'

/** A payload's schema as JSON Schema 2020-12. */
export interface PayloadSchema {
  readonly schema: { readonly [keyword: string]: JsonValue }
  /**
   * Places at which the zod schema checks more than JSON Schema can express: pointers into the payload, with `*` for
   * each element. The JSON Schema accepts more payloads there, and never fewer.
   */
  readonly unsaid: readonly string[]
}

/** Describes a zod schema in JSON Schema, and lists the places where JSON Schema cannot express all of it. Never throws. */
export function describePayload(payload: z.ZodType): PayloadSchema {
  const unsaid = new Set<string>()
  try {
    const { $schema: _dialect, ...schema } = z.toJSONSchema(payload, {
      io: 'input',
      unrepresentable: 'any',
      override: ({ zodSchema, jsonSchema, path }) => {
        const inexact = inexactKeywords(zodSchema)
        if (inexact === undefined) return
        unsaid.add(payloadPointer(path))
        for (const keyword of inexact === 'all' ? Object.keys(jsonSchema) : inexact) {
          Reflect.deleteProperty(jsonSchema, keyword)
        }
      },
    })
    return { schema: JSON.parse(JSON.stringify(schema)), unsaid: [...unsaid] }
  } catch {
    // zod cannot describe a schema class that it does not know.
    return { schema: {}, unsaid: [''] }
  }
}

/** Types whose values no JSON has, and what to write in their place. */
export const absentTypes: Readonly<Record<string, string>> = {
  date: 'a Date is stored as a text: write z.coerce.date()',
  bigint: 'JSON has no BigInt: write z.string(), or z.coerce.bigint() and send a text',
  map: 'JSON has no Map: write z.record(…)',
  set: 'JSON has no Set: write z.array(…)',
  nan: 'JSON has no NaN: write z.null()',
  symbol: 'JSON has no symbols: write z.string()',
  file: 'JSON has no files: store the file elsewhere, and send its address',
  function: 'JSON has no functions: send the name of one',
  promise: 'JSON has no promises: await it before the enqueue',
}

/**
 * The parts of a payload's schema that no stored payload can fit, so that no job could run. An alternative of a union that JSON
 * does not have is not one: another one may fit.
 */
export function absentParts(payload: z.ZodType): InputIssue[] {
  // zod describes a schema with a refinement twice.
  const issues = new Map<string, InputIssue>()
  try {
    z.toJSONSchema(payload, {
      io: 'input',
      unrepresentable: 'any',
      override: ({ zodSchema: { _zod }, path }) => {
        const message = 'coerce' in _zod.def && _zod.def.coerce ? undefined : absentTypes[_zod.def.type]
        if (message === undefined || path.some((part) => alternatives.has(part))) return
        const pointer = payloadPointer(path)
        issues.set(pointer, { path: ['payload', ...pointer.split('/').slice(1)], message })
      },
    })
    return [...issues.values()]
  } catch {
    return []
  }
}

const alternatives: ReadonlySet<string | number> = new Set(['anyOf', 'oneOf', '$defs'])

/** Types whose values JSON does not have, or which code computes from other values. */
const inexpressibleTypes = namesIn(
  `bigint symbol undefined void nan date map set file function promise transform custom catch template_literal`,
)

/** Formats that are fully described by their pattern. */
const patternFormats = namesIn(
  `regex starts_with ends_with includes lowercase uppercase email uuid guid nanoid cuid cuid2 ulid xid ksuid date time
   datetime duration ipv4 cidrv4 e164`,
)

function namesIn(text: string): ReadonlySet<string> {
  return new Set(text.split(/\s+/))
}

const stringKeywords = ['pattern', 'format', 'minLength', 'maxLength', 'allOf', 'contentEncoding']

/**
 * The keywords of the JSON Schema that differ from what the zod schema checks: `all` where none is right, an empty list
 * where the zod schema checks more than the keywords say, undefined where they are exact.
 */
function inexactKeywords(schema: z.core.$ZodTypes): 'all' | readonly string[] | undefined {
  const { def } = schema._zod
  if (inexpressibleTypes.has(def.type) || ('coerce' in def && def.coerce)) return 'all'
  if (def.type === 'pipe' && def.in._zod.def.type === 'transform') return 'all'
  const ownCheck = 'check' in def ? [schema as unknown as z.core.$ZodCheck] : []
  const inexact = [...ownCheck, ...(def.checks ?? [])]
    .map((check) => inexactKeywordsOfCheck(check as z.core.$ZodChecks))
    .filter((keywords) => keywords !== undefined)
  return inexact.length === 0 ? undefined : inexact.flat()
}

/** The keywords that describe one check inexactly; undefined where the check is described exactly. */
function inexactKeywordsOfCheck({ _zod: { def } }: z.core.$ZodChecks): readonly string[] | undefined {
  switch (def.check) {
    case 'less_than':
    case 'greater_than':
    case 'number_format':
    case 'max_length':
    case 'min_length':
    case 'length_equals':
      return undefined
    case 'multiple_of':
      // Validators round fractions differently.
      return Number.isInteger(def.value) ? undefined : ['multipleOf', 'allOf']
    case 'string_format':
      return inexactKeywordsOfFormat(def)
    case 'overwrite':
      // Later checks see the overwritten text, not the text of the payload.
      return stringKeywords
    default:
      return []
  }
}

function inexactKeywordsOfFormat({
  format,
  pattern,
}: z.core.$ZodCheckStringFormatDef): readonly string[] | undefined {
  if (!patternFormats.has(format)) return []
  // A pattern in JSON Schema has no flags. It implies only `u`, which changes nothing for a pattern that zod may give
  // it.
  return pattern === undefined || /^u?$/.test(pattern.flags) ? undefined : ['pattern', 'allOf']
}

/** The pointer into a payload to which a part of its JSON Schema applies. */
function payloadPointer(path: readonly (string | number)[]): string {
  let pointer = ''
  for (let index = 0; index < path.length; index += 1) {
    const part = path[index]
    if (part === 'properties') {
      index += 1
      pointer += `/${String(path[index]).replaceAll('~', '~0').replaceAll('/', '~1')}`
    } else if (part === 'items' || part === 'additionalProperties') pointer += '/*'
    else if (part === 'prefixItems') {
      index += 1
      pointer += `/${path[index]}`
    }
  }
  return pointer
}
