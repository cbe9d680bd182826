import { readFileSync } from 'node:fs'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'

export interface DocumentedResponse {
  readonly headers?: Readonly<Record<string, unknown>>
  readonly content?: Readonly<Record<string, { readonly schema?: object; readonly example?: unknown }>>
}

export interface DocumentedOperation {
  readonly operationId: string
  readonly tags: readonly string[]
  readonly summary: string
  readonly description: string
  readonly parameters: readonly {
    readonly name: string
    readonly in: string
    readonly required?: boolean
    readonly description?: string
    readonly schema?: object
  }[]
  readonly requestBody?: {
    readonly content: {
      readonly 'application/json': {
        readonly schema: object
        readonly examples: Record<string, { readonly value: unknown }>
      }
    }
  }
  readonly responses: Readonly<Record<string, DocumentedResponse>>
  readonly security: readonly object[]
}

interface Reference {
  readonly $ref: string
}

type CommittedDocument = Document & {
  readonly components: {
    readonly parameters: Readonly<Record<string, DocumentedOperation['parameters'][number]>>
    readonly responses: Readonly<Record<string, DocumentedResponse>>
  }
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, DocumentedOperation>>>>
  readonly components: {
    readonly schemas: Readonly<Record<string, unknown>>
    readonly examples: Record<string, { readonly value: unknown }>
  }
}

export const documentUrl = new URL('../../../apps/api/openapi.json', import.meta.url)

/** The document as it is committed, with the parameters and responses themselves where operations refer to them. */
export const document = withoutReferences(JSON.parse(readFileSync(documentUrl, 'utf8')) as CommittedDocument)

function withoutReferences({ paths, components }: CommittedDocument): Document {
  const operations = (methods: Document['paths'][string]): Document['paths'][string] =>
    mapValues(methods, (operation) => ({
      ...operation,
      parameters: operation.parameters.map((parameter) => referredTo(parameter, components.parameters)),
      responses: mapValues(operation.responses, (response) => referredTo(response, components.responses)),
    }))
  return { paths: mapValues(paths, operations), components }
}

function referredTo<Value extends object>(
  value: Value | Reference,
  components: Readonly<Record<string, Value>>,
): Value {
  if (!('$ref' in value)) return value
  const component = components[value.$ref.split('/').at(-1) ?? '']
  if (component === undefined) throw new Error(`the document has no ${value.$ref}`)
  return component
}

function mapValues<From, To>(
  record: Readonly<Record<string, From>>,
  change: (value: From) => To,
): Record<string, To> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value)]))
}

export interface FoundOperation {
  readonly path: string
  readonly method: string
  readonly operation: DocumentedOperation
}

/** The documented operation that a request is for, if there is one. HEAD is documented as GET. */
export function findOperation(method: string, pathname: string): FoundOperation | undefined {
  const path = findPath(pathname)
  if (path === undefined) return undefined
  const documentedMethod = method === 'HEAD' ? 'get' : method.toLowerCase()
  const operation = document.paths[path]?.[documentedMethod]
  return operation && { path, method: documentedMethod, operation }
}

/** A literal path goes before one with a parameter in its place. */
function findPath(pathname: string): string | undefined {
  const templates = Object.keys(document.paths)
  if (templates.includes(pathname)) return pathname
  return templates.find((template) =>
    new RegExp(`^${template.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(pathname),
  )
}

const ajv = new Ajv2020({ strict: false, allErrors: true })
addFormats.default(ajv)
ajv.addSchema(closed(document) as object, 'openapi.json')

const validators = new Map<string, ValidateFunction>()

/** What is wrong with `value` by the schema at `pointer` into the document; members that it does not name included. */
export function faultsBySchema(pointer: string, value: unknown): string[] {
  const validate = validators.get(pointer) ?? ajv.compile({ $ref: `openapi.json#${pointer}` })
  validators.set(pointer, validate)
  validate(value)
  return (validate.errors ?? []).map(
    (error) => `${error.instancePath} ${error.message} ${JSON.stringify(error.params)}`,
  )
}

/** What stands at a JSON pointer into the document. */
export function resolvePointer(pointer: string): unknown {
  return pointer
    .split('/')
    .slice(1)
    .reduce<unknown>((value, key) => (value as Record<string, unknown> | undefined)?.[key], document)
}

/** A JSON pointer as the fragment of a URI. */
export function pointerTo(...parts: readonly string[]): string {
  return parts
    .map((part) => `/${encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'))}`)
    .join('')
}

/** The document with every object closed that does not say otherwise: what is undocumented is then a fault. */
function closed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(closed)
  if (typeof value !== 'object' || value === null) return value
  const members = Object.fromEntries(Object.entries(value).map(([key, member]) => [key, closed(member)]))
  const open = 'type' in members && members['type'] === 'object' && 'properties' in members
  return open && !('additionalProperties' in members) ? { ...members, additionalProperties: false } : members
}
