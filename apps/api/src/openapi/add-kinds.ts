import type { OpenApiGeneratorV31 } from '@asteasolutions/zod-to-openapi'
import type { JobDefinition } from '@queue/core'
import { z } from 'zod'

/** An OpenAPI 3.1 document. */
export type OpenApiDocument = ReturnType<OpenApiGeneratorV31['generateDocument']>

type Schemas = NonNullable<NonNullable<OpenApiDocument['components']>['schemas']>
type Schema = Exclude<Schemas[string], { readonly $ref: string }>

/**
 * The document with `CreateJob` made precise: one schema for each kind of the catalogue, with that kind's payload,
 * so that clients made from the document know what each kind asks for.
 */
export function addKinds(document: OpenApiDocument, catalogue: readonly JobDefinition[]): OpenApiDocument {
  const schemas: Schemas = { ...document.components?.schemas }
  const general = schemas['CreateJob']
  if (general === undefined || '$ref' in general) throw new Error('no operation takes a CreateJob')
  const mapping: Record<string, string> = {}
  for (const definition of catalogue) {
    const name = unusedName(pascalCase(definition.kind), schemas)
    mapping[definition.kind] = reference(`Create${name}Job`)
    schemas[`Create${name}Job`] = precise(general, { kind: definition.kind, payload: `${name}Payload` })
    schemas[`${name}Payload`] = payloadSchema(definition, `${name}Payload`)
  }
  schemas['CreateJob'] = {
    description: 'A job to be enqueued: one schema for each kind.',
    oneOf: Object.values(mapping).map(($ref) => ({ $ref })),
    discriminator: { propertyName: 'kind', mapping },
  }
  const sorted = Object.fromEntries(Object.entries(schemas).toSorted(([a], [b]) => (a < b ? -1 : 1)))
  return { ...document, components: { ...document.components, schemas: sorted } }
}

/** The general request with one kind and, by its schema's name, that kind's payload. */
function precise(
  general: Schema,
  { kind, payload }: { readonly kind: string; readonly payload: string },
): Schema {
  return {
    ...general,
    properties: {
      ...general.properties,
      kind: { type: 'string', const: kind },
      payload: { $ref: reference(payload) },
    },
  }
}

/**
 * The payload's schema as JSON Schema, which OpenAPI 3.1 is a superset of. What zod can check and JSON Schema cannot
 * say is left out: the server is stricter than the document there.
 */
function payloadSchema(definition: JobDefinition, name: string): Schema {
  const { $schema: _dialect, ...schema } = z.toJSONSchema(definition.payload, {
    io: 'input',
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema }) => {
      // What refers to itself is any JSON value, as a rule; spelled out it would be a recursive union.
      if (zodSchema instanceof z.ZodLazy)
        for (const key in jsonSchema) Reflect.deleteProperty(jsonSchema, key)
    },
  })
  return withPlainReferences(schema, name)
}

type JsonSchema = z.core.JSONSchema.BaseSchema

/** References within a payload's schema point into the document; those to a schema that says nothing are dropped. */
function withPlainReferences({ $defs = {}, ...schema }: JsonSchema, name: string): Schema {
  const telling = Object.entries($defs).filter(([, one]) => Object.keys(one).length > 0)
  const kept = new Set(telling.map(([key]) => `#/$defs/${key}`))
  const whole = telling.length === 0 ? schema : { ...schema, $defs: Object.fromEntries(telling) }
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

/** Two kinds may differ only in what a schema's name cannot show. */
function unusedName(name: string, schemas: Schemas): string {
  return `${name}Payload` in schemas ? unusedName(`${name}_`, schemas) : name
}

/** `send_email` as a schema's name: `SendEmail`. */
function pascalCase(kind: string): string {
  return kind.replaceAll(/(?:^|[_.-])([a-z0-9]?)/g, (_match, letter: string) => letter.toUpperCase())
}
