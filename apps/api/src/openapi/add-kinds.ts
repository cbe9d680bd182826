import type { OpenApiGeneratorV31 } from '@asteasolutions/zod-to-openapi'
import type { JobDefinition } from '@queue/core'
import { z } from 'zod'

/** An OpenAPI 3.1 document. */
export type OpenApiDocument = ReturnType<OpenApiGeneratorV31['generateDocument']>

type Schemas = NonNullable<NonNullable<OpenApiDocument['components']>['schemas']>
type Schema = Exclude<Schemas[string], { readonly $ref: string }>

/** The schemas that accept any kind, with the suffix of their variants for one kind. */
const generalSchemas = { CreateJob: 'Job', CreateSchedule: 'Schedule' } as const

/**
 * Splits `CreateJob` and `CreateSchedule` into one schema for each kind of the catalogue, with the payload of that kind, so that
 * generated clients know the payload of each kind.
 */
export function addKinds(document: OpenApiDocument, catalogue: readonly JobDefinition[]): OpenApiDocument {
  const schemas: Schemas = { ...document.components?.schemas }
  const names = new Map<string, string>()
  for (const definition of catalogue) {
    const name = unusedName(pascalCase(definition.kind), schemas)
    names.set(definition.kind, name)
    schemas[`${name}Payload`] = payloadSchema(definition, `${name}Payload`)
  }
  for (const [general, suffix] of Object.entries(generalSchemas))
    makePrecise(schemas, names, { general, suffix })
  const sorted = Object.fromEntries(Object.entries(schemas).toSorted(([a], [b]) => (a < b ? -1 : 1)))
  return { ...document, components: { ...document.components, schemas: sorted } }
}

/** Replaces the general schema by a choice between one schema for each kind. */
function makePrecise(
  schemas: Schemas,
  names: ReadonlyMap<string, string>,
  { general, suffix }: { readonly general: string; readonly suffix: string },
): void {
  const any = schemas[general]
  if (any === undefined || '$ref' in any) throw new Error(`the document has no schema ${general}`)
  const summary = suffix === 'Job' ? 'A job to enqueue' : 'A schedule to create'
  const mapping: Record<string, string> = {}
  for (const [kind, name] of names) {
    mapping[kind] = reference(`Create${name}${suffix}`)
    const description = `${summary}, with the kind \`${kind}\`.`
    schemas[`Create${name}${suffix}`] = precise(any, { kind, payload: `${name}Payload`, description })
  }
  schemas[general] = {
    description: `${summary}, with one schema for each kind.`,
    oneOf: Object.values(mapping).map(($ref) => ({ $ref })),
    discriminator: { propertyName: 'kind', mapping },
  }
}

/** The general schema with the name of one kind and its payload. */
function precise(
  general: Schema,
  {
    kind,
    payload,
    description,
  }: { readonly kind: string; readonly payload: string; readonly description: string },
): Schema {
  return {
    ...general,
    description,
    properties: {
      ...general.properties,
      kind: { type: 'string', const: kind, description: `The kind \`${kind}\`.` },
      payload: { $ref: reference(payload) },
    },
  }
}

/**
 * The schema of a payload as JSON Schema, of which OpenAPI 3.1 is a superset. Checks that JSON Schema cannot express are left
 * out: there, the server is stricter than the document.
 */
function payloadSchema(definition: JobDefinition, name: string): Schema {
  const { $schema: _dialect, ...schema } = z.toJSONSchema(definition.payload, {
    io: 'input',
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema }) => {
      // A recursive schema is any JSON value as a rule, and would become a recursive union.
      if (zodSchema instanceof z.ZodLazy)
        for (const key in jsonSchema) Reflect.deleteProperty(jsonSchema, key)
    },
  })
  return withPlainReferences(schema, name)
}

type JsonSchema = z.core.JSONSchema.BaseSchema

/** Makes references within a payload schema point into the document, and drops those to an empty schema. */
function withPlainReferences({ $defs = {}, ...schema }: JsonSchema, name: string): Schema {
  const nonEmpty = Object.entries($defs).filter(([, definition]) => Object.keys(definition).length > 0)
  const kept = new Set(nonEmpty.map(([key]) => `#/$defs/${key}`))
  const whole = nonEmpty.length === 0 ? schema : { ...schema, $defs: Object.fromEntries(nonEmpty) }
  const text = JSON.stringify(whole, (_key, value: unknown) => {
    if (typeof value !== 'object' || value === null || !('$ref' in value)) return value
    return kept.has(String(value.$ref)) ? { $ref: `${reference(name)}${String(value.$ref).slice(1)}` } : {}
  })
  const plain: Schema = JSON.parse(text)
  return plain
}

function reference(name: string): string {
  return `#/components/schemas/${name}`
}

/** Two kinds can have the same name in PascalCase. */
function unusedName(name: string, schemas: Schemas): string {
  return `${name}Payload` in schemas ? unusedName(`${name}_`, schemas) : name
}

/** `send_email` in PascalCase: `SendEmail`. */
function pascalCase(kind: string): string {
  return kind.replaceAll(/(?:^|[_.-])([a-z0-9]?)/g, (_match, letter: string) => letter.toUpperCase())
}
