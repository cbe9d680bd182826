import { createHash } from 'node:crypto'
import { z } from 'zod'
import { InvalidInput, type InputIssue } from '../domain/errors.ts'
import { jobFields } from '../domain/job.ts'
import type { JobDefinition } from '../domain/job-definition.ts'
import { canonicalJson, findJsonFault, type JsonValue } from '../domain/json.ts'
import { encodeKindDefaults, type KindDefaults, kindDefaultsSchema } from '../domain/kind-defaults.ts'
import { kindDescriptionLengthMax, kindSchemaBytesMax, payloadDepthMax } from '../domain/limits.ts'
import { describePayload } from '../domain/payload-schema.ts'
import { schemaOf, versionsOf } from '../domain/payload-upgrade.ts'
import { sensitiveSchema } from '../domain/sensitive.ts'

/** A JSON Schema (2020-12): an object of keywords. */
export type PayloadJsonSchema = { readonly [keyword: string]: JsonValue }

/** One version of a kind, as it is registered. */
export interface KindRegistration {
  readonly kind: string
  readonly version: number
  /** JSON Schema 2020-12. */
  readonly payloadSchema: PayloadJsonSchema
  readonly defaults: KindDefaults
  readonly description: string | null
  /** JSON pointers into the payload; null: nothing is said of what is sensitive, and all of it is. */
  readonly sensitive: readonly string[] | null
  /** Where the schema says less than its author checks: see `PayloadSchema`. */
  readonly unsaid: readonly string[]
  /** An older version, of which somebody else may have said more: what is registered of it stays. */
  readonly isOlder?: boolean
}

/** The versions that a definition knows, as they are registered: its own, and the older ones that it upgrades. */
export function registrationsOf(definition: JobDefinition): KindRegistration[] {
  return versionsOf(definition).map((version) => {
    const { schema, unsaid } = describePayload(schemaOf(definition, version) as z.ZodType)
    const fits = schemaFaults(schema).length === 0
    return {
      kind: definition.kind,
      version,
      payloadSchema: fits ? schema : {},
      defaults: encodeKindDefaults(definition),
      description: definition.description,
      sensitive: definition.sensitive,
      unsaid: fits ? unsaid : [''],
      isOlder: version !== definition.version,
    }
  })
}

const registrationSchema = z.object({
  kind: jobFields.kind,
  version: jobFields.kindVersion,
  defaults: kindDefaultsSchema,
  description: z.string().min(1).max(kindDescriptionLengthMax).nullable(),
  sensitive: sensitiveSchema.nullable(),
})

/** Throws `InvalidInput` with every issue of these registrations, each under its place. */
export function assertRegistrations(registrations: readonly KindRegistration[]): void {
  const issues = registrations.flatMap((registration, index): InputIssue[] => {
    const parsed = registrationSchema.safeParse(registration)
    const found = parsed.success ? [] : parsed.error.issues
    return [
      ...found.map(({ path, message }) => ({ path: [index, ...path.map(plainKey)], message })),
      ...schemaFaults(registration.payloadSchema).map(({ path, message }) => ({
        path: [index, 'payloadSchema', ...path],
        message,
      })),
    ]
  })
  if (issues.length > 0) throw new InvalidInput('invalid_kind', issues)
}

function plainKey(key: PropertyKey): string | number {
  return typeof key === 'symbol' ? String(key) : key
}

/** What keeps a JSON Schema from being stored: its size, its depth, or a reference to something outside it. */
function schemaFaults(schema: PayloadJsonSchema): readonly InputIssue[] {
  const fault = findJsonFault(schema, { depthMax: payloadDepthMax })
  if (fault !== undefined) return [fault]
  if (Buffer.byteLength(JSON.stringify(schema)) > kindSchemaBytesMax) {
    return [{ path: [], message: `is larger than ${kindSchemaBytesMax} bytes` }]
  }
  return foreignReferences(schema, [])
}

/** Keywords whose members are schemas by name: what looks like a keyword there is a name. */
const schemasByName = ['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas']
/** Keywords whose values are data. */
const dataKeywords = ['const', 'enum', 'default', 'examples']

function foreignReferences(value: JsonValue, path: readonly (string | number)[]): InputIssue[] {
  if (typeof value !== 'object' || value === null) return []
  if (Array.isArray(value)) return value.flatMap((one, index) => foreignReferences(one, [...path, index]))
  return Object.entries(value).flatMap(([keyword, one]): InputIssue[] => {
    const at = [...path, keyword]
    if (dataKeywords.includes(keyword)) return []
    if (keyword === '$id') return [{ path: at, message: 'must not be there: a schema stands by itself' }]
    if (keyword === '$ref' || keyword === '$dynamicRef') {
      const isLocal = typeof one === 'string' && one.startsWith('#')
      return isLocal ? [] : [{ path: at, message: 'must begin with #: a schema stands by itself' }]
    }
    if (!schemasByName.includes(keyword) || typeof one !== 'object' || one === null) {
      return foreignReferences(one, at)
    }
    return Object.entries(one).flatMap(([name, schema]) => foreignReferences(schema, [...at, name]))
  })
}

/** What two registrations of one version differ in, if they do: equal documents have equal digests. */
export function digestOf({ payloadSchema, defaults, description }: KindRegistration): string {
  const text = canonicalJson({ payloadSchema, defaults, description })
  return createHash('sha256').update(text).digest('hex')
}
