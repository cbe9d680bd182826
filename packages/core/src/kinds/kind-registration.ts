import { createHash } from 'node:crypto'
import { object } from '@queue/loop/arguments'
import { z } from 'zod'
import { InvalidInput, type InputIssue } from '../domain/errors.ts'
import { jobFields } from '../domain/job.ts'
import { findIssues, type JobDefinition } from '../domain/job-definition.ts'
import { canonicalJson, findJsonFault, type JsonValue } from '../domain/json.ts'
import { encodeKindDefaults, type KindDefaults, kindDefaultsSchema } from '../domain/kind-defaults.ts'
import {
  kindDescriptionLengthMax,
  kindSchemaBytesMax,
  kindSchemaNodesMax,
  payloadDepthMax,
} from '../domain/limits.ts'
import { describePayload } from '../domain/payload-schema.ts'
import { schemaOf, sensitiveOf, versionsOf } from '../domain/payload-upgrade.ts'
import { sensitiveSchema } from '../domain/sensitive.ts'

/** A JSON Schema (2020-12): an object of keywords. */
export type PayloadJsonSchema = { readonly [keyword: string]: JsonValue }

/** One version of a kind in the form in which it is registered. */
export interface KindRegistration {
  readonly kind: string
  readonly version: number
  /** JSON Schema 2020-12. */
  readonly payloadSchema: PayloadJsonSchema
  readonly defaults: KindDefaults
  readonly description: string | null
  /** JSON pointers to the sensitive parts of the payload; null: not declared, and the whole payload counts as sensitive. */
  readonly sensitive: readonly string[] | null
  /** Places at which the definition checks more than the schema expresses: see `PayloadSchema`. */
  readonly unsaid: readonly string[]
  /**
   * Whether this is an older version that the definition upgrades. Its registration is kept where it exists, because
   * the definition of that version may have declared more.
   */
  readonly isOlder?: boolean
}

/** The registrations of a definition: its own version, and the older versions that it upgrades. */
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
      sensitive: sensitiveOf(definition, version),
      unsaid: fits ? unsaid : [''],
      isOlder: version !== definition.version,
    }
  })
}

const registrationSchema = z.strictObject({
  kind: jobFields.kind,
  version: jobFields.kindVersion,
  payloadSchema: z.custom<PayloadJsonSchema>((value) => object(value) === undefined, 'must be an object'),
  defaults: kindDefaultsSchema,
  description: z.string().min(1).max(kindDescriptionLengthMax).nullable(),
  sensitive: sensitiveSchema.nullable(),
  unsaid: z.array(z.string()),
  isOlder: z.boolean().optional(),
} satisfies { readonly [Name in keyof KindRegistration]-?: z.ZodType })

/** Throws `InvalidInput` with every issue of these registrations. Paths begin with the index of the registration. */
export function assertRegistrations(registrations: readonly KindRegistration[]): void {
  const issues = registrations.flatMap((registration, index): InputIssue[] => {
    const { payloadSchema } = registration
    const faults = object(payloadSchema) === undefined ? schemaFaults(payloadSchema) : []
    return [
      ...findIssues(registrationSchema, registration).map((issue) => at([index], issue)),
      ...faults.map((fault) => at([index, 'payloadSchema'], fault)),
    ]
  })
  if (issues.length > 0) throw new InvalidInput('invalid_kind', issues)
}

function at(parent: InputIssue['path'], { path, message }: InputIssue): InputIssue {
  return { path: [...parent, ...path], message }
}

/** The depth and the number of values that a JSON Schema may have, so that compiling it takes a bounded time. */
export const schemaBounds = { depthMax: payloadDepthMax, nodesMax: kindSchemaNodesMax }

/** The reasons why a JSON Schema cannot be stored: its size, its depth, or references to other documents. */
function schemaFaults(schema: PayloadJsonSchema): readonly InputIssue[] {
  const fault = findJsonFault(schema, schemaBounds)
  if (fault !== undefined) return [fault]
  if (Buffer.byteLength(JSON.stringify(schema)) > kindSchemaBytesMax) {
    return [{ path: [], message: `is larger than ${kindSchemaBytesMax} bytes` }]
  }
  return foreignReferences(schema, [])
}

/** Keywords whose members are schemas by name. A member that looks like a keyword is only a name. */
const schemasByName = ['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas']
/** Keywords whose values are data. */
const dataKeywords = ['const', 'enum', 'default', 'examples']

function foreignReferences(value: JsonValue, parentPath: readonly (string | number)[]): InputIssue[] {
  if (typeof value !== 'object' || value === null) return []
  if (Array.isArray(value))
    return value.flatMap((item, index) => foreignReferences(item, [...parentPath, index]))
  return Object.entries(value).flatMap(([keyword, member]): InputIssue[] => {
    const path = [...parentPath, keyword]
    if (dataKeywords.includes(keyword)) return []
    if (keyword === '$id')
      return [{ path, message: 'must be removed: a schema cannot be referred to by an id' }]
    if (keyword === '$ref' || keyword === '$dynamicRef') {
      const isLocal = typeof member === 'string' && member.startsWith('#')
      return isLocal ? [] : [{ path, message: 'must begin with #: a schema cannot refer to other documents' }]
    }
    if (!schemasByName.includes(keyword) || typeof member !== 'object' || member === null) {
      return foreignReferences(member, path)
    }
    return Object.entries(member).flatMap(([name, schema]) => foreignReferences(schema, [...path, name]))
  })
}

/** A digest of the registration. Equal registrations of a version have equal digests. */
export function digestOf({ payloadSchema, defaults, description }: KindRegistration): string {
  const text = canonicalJson({ payloadSchema, defaults, description })
  return createHash('sha256').update(text).digest('hex')
}
