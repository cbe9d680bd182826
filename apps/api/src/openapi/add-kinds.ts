import type { OpenApiGeneratorV31 } from '@asteasolutions/zod-to-openapi'
import type { JobDefinition } from '@queue/core'
import { z } from 'zod'

/** An OpenAPI 3.1 document. */
export type OpenApiDocument = ReturnType<OpenApiGeneratorV31['generateDocument']>

type Schemas = NonNullable<NonNullable<OpenApiDocument['components']>['schemas']>
type Schema = Exclude<Schemas[string], { readonly $ref: string }>

/** What takes any kind, and what a schema of one kind is called behind its name. */
const generalSchemas = { CreateJob: 'Job', CreateSchedule: 'Schedule' } as const

/**
 * The document with `CreateJob` and `CreateSchedule` made precise: one schema for each kind of the catalogue, with that kind's
 * payload, so that clients made from the document know what each kind asks for.
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

/** One schema for each kind in the place of the general one, which becomes the choice between them. */
function makePrecise(
  schemas: Schemas,
  names: ReadonlyMap<string, string>,
  { general, suffix }: { readonly general: string; readonly suffix: string },
): void {
  const any = schemas[general]
  if (any === undefined || '$ref' in any) throw new Error(`no operation takes a ${general}`)
  const mapping: Record<string, string> = {}
  for (const [kind, name] of names) {
    mapping[kind] = reference(`Create${name}${suffix}`)
    schemas[`Create${name}${suffix}`] = precise(any, { kind, payload: `${name}Payload` })
  }
  schemas[general] = {
    description: `${suffix === 'Job' ? 'A job to be enqueued' : 'A schedule to be made'}: one schema for each kind.`,
    oneOf: Object.values(mapping).map(($ref) => ({ $ref })),
    discriminator: { propertyName: 'kind', mapping },
  }
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
