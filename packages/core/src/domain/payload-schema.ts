import { z } from 'zod'
import type { JsonValue } from './json.ts'

/** A payload's schema as JSON Schema 2020-12 says it. */
export interface PayloadSchema {
  readonly schema: { readonly [keyword: string]: JsonValue }
  /**
   * Where JSON Schema cannot say what the zod schema checks, as pointers into the payload, `*` for each element. What is
   * said accepts more there, and never less.
   */
  readonly unsaid: readonly string[]
}

/** What JSON Schema can say of a zod schema, and where that is not everything. Never throws. */
export function describePayload(payload: z.ZodType): PayloadSchema {
  const unsaid = new Set<string>()
  try {
    const { $schema: _dialect, ...schema } = z.toJSONSchema(payload, {
      io: 'input',
      unrepresentable: 'any',
      override: ({ zodSchema, jsonSchema, path }) => {
        const fault = unsayable(zodSchema)
        if (fault === undefined) return
        unsaid.add(payloadPointer(path))
        for (const keyword of fault === 'all' ? Object.keys(jsonSchema) : fault) {
          Reflect.deleteProperty(jsonSchema, keyword)
        }
      },
    })
    return { schema: JSON.parse(JSON.stringify(schema)), unsaid: [...unsaid] }
  } catch {
    // A schema of somebody's own making, which zod does not know how to describe.
    return { schema: {}, unsaid: [''] }
  }
}

/** Types of values that JSON does not have, or that code makes of others. */
const unsayableTypes = namesIn(
  `bigint symbol undefined void nan date map set file function promise transform custom catch template_literal`,
)

/** Formats that are their pattern and nothing else. */
const patternFormats = namesIn(
  `regex starts_with ends_with includes lowercase uppercase email uuid guid nanoid cuid cuid2 ulid xid ksuid date time
   datetime duration ipv4 cidrv4 e164`,
)

function namesIn(text: string): ReadonlySet<string> {
  return new Set(text.split(/\s+/))
}

const stringKeywords = ['pattern', 'format', 'minLength', 'maxLength', 'allOf', 'contentEncoding']

/**
 * The keywords that say something else than the schema checks; `all` where none is right, and none where more is checked
 * than is said.
 */
function unsayable(schema: z.core.$ZodTypes): 'all' | readonly string[] | undefined {
  const { def } = schema._zod
  if (unsayableTypes.has(def.type) || ('coerce' in def && def.coerce)) return 'all'
  if (def.type === 'pipe' && def.in._zod.def.type === 'transform') return 'all'
  const own = 'check' in def ? [schema as unknown as z.core.$ZodCheck] : []
  const wrong = [...own, ...(def.checks ?? [])].map((check) => wrongKeywords(check as z.core.$ZodChecks))
  const found = wrong.filter((keywords) => keywords !== undefined)
  return found.length === 0 ? undefined : found.flat()
}

/** What is said wrongly of a check; undefined where it is said as it is. */
function wrongKeywords({ _zod: { def } }: z.core.$ZodChecks): readonly string[] | undefined {
  switch (def.check) {
    case 'less_than':
    case 'greater_than':
    case 'number_format':
    case 'max_length':
    case 'min_length':
    case 'length_equals':
      return undefined
    case 'multiple_of':
      // Of fractions, everybody rounds in another way.
      return Number.isInteger(def.value) ? undefined : ['multipleOf', 'allOf']
    case 'string_format':
      return formatFault(def)
    case 'overwrite':
      // What comes after it is checked of another text.
      return stringKeywords
    default:
      return []
  }
}

function formatFault({ format, pattern }: z.core.$ZodCheckStringFormatDef): readonly string[] | undefined {
  if (!patternFormats.has(format)) return []
  // JSON Schema has no flags. The one that it implies changes nothing of a pattern that may have it.
  return pattern === undefined || /^u?$/.test(pattern.flags) ? undefined : ['pattern', 'allOf']
}

/** Where in a payload a part of its JSON Schema applies. */
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
