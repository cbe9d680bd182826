import { type InputIssue, type JsonValue, limits, type PayloadJsonSchema } from '@queue/core'
import { canonicalJson, findJsonFault, schemaBounds } from '@queue/core/internal'
import { _, type KeywordCxt } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { type LinearPattern, linearPattern } from './linear-pattern.ts'
import { schemaFaults } from './schema-faults.ts'
import { isObject, mapSchemas, ownNodes, type Schema } from './schema-walk.ts'

/** The issues of a payload; paths are relative to the payload. */
export type FaultsOf = (payload: JsonValue) => readonly InputIssue[]

/** The check of a payload would take more steps than allowed. */
class OverBudget extends Error {}

/** Characters of text times instructions of a pattern that count as one step. */
const patternStepsPerStep = 16

const cost = 'queue:cost'

export interface SchemaCompiler {
  /** Throws for a schema that exceeds the bounds of a registration. */
  compile(schema: PayloadJsonSchema, patterns?: Patterns): FaultsOf
  /** Grants the steps of a payload to the checks that follow, by however many versions. */
  grantSteps(): void
}

/** The patterns of a schema by their sources; undefined if one cannot be matched in linear time. */
type Patterns = ReadonlyMap<string, LinearPattern | undefined>

/**
 * Compiles the JSON Schemas (2020-12) of kinds. A check takes a bounded number of steps for any schema and payload: applying a
 * schema to a value costs its number of keywords and their values; a pattern costs the length of the text times its size.
 * `uniqueItems` is checked in linear time. `format` is ignored. Compiling takes bounded time as well: the sizes of schemas and of
 * their patterns have bounds, and Ajv does not optimize its code, which took the square of the size.
 */
export function createSchemaCompiler(): SchemaCompiler {
  let stepsLeft = 0
  let patternsOfThis: Patterns = new Map()
  const spend = (steps: number): void => {
    stepsLeft -= steps
    if (stepsLeft < 0) throw new OverBudget()
  }
  const ajv = new Ajv2020({
    allErrors: true,
    verbose: true,
    strict: false,
    validateFormats: false,
    validateSchema: false,
    logger: false,
    code: { regExp: patternEngine(spend, (source) => patternsOfThis.get(source)), optimize: false },
  })
  ajv.addKeyword({
    keyword: cost,
    schemaType: 'number',
    code: ({ gen, schema }: KeywordCxt) =>
      gen.code(_`${gen.scopeValue('func', { ref: spend })}(${schema as number})`),
  })
  ajv.removeKeyword('uniqueItems')
  ajv.addKeyword({
    keyword: 'uniqueItems',
    type: 'array',
    compile: (isEnabled: boolean) => (items: readonly JsonValue[]) => !isEnabled || areUnique(items),
  })
  return {
    grantSteps: () => {
      stepsLeft = limits.kindStepsMax
    },
    compile: (schema, patterns = boundedPatterns(schema)) => {
      patternsOfThis = patterns
      const bounded = mapSchemas(schema, (subschema) => withBounds(subschema, patterns)) as Schema
      const validate = ajv.compile(bounded)
      ajv.removeSchema(bounded)
      return (payload) => {
        try {
          return validate(payload) ? [] : schemaFaults(validate.errors ?? [])
        } catch (error) {
          // A schema that refers to itself without end exhausts the steps or the stack.
          if (error instanceof OverBudget || error instanceof RangeError) {
            return [{ path: [], message: 'takes too long to validate by the schema of its kind' }]
          }
          throw error
        }
      }
    },
  }
}

/** Validates JSON Schemas. Compiled on first use, because that takes some 20 ms and most processes never need it. */
let metaSchema: Ajv2020 | undefined

/** The patterns of a schema. Throws if it exceeds the bounds. */
function boundedPatterns(schema: PayloadJsonSchema): Patterns {
  const sources = findPatterns(schema)
  const fault = findExcess(schema, sources)
  if (fault !== undefined) throw new Error(`the schema ${fault.message}`)
  return compilePatterns(sources)
}

/** The different patterns in a schema. */
function findPatterns(schema: PayloadJsonSchema): ReadonlySet<string> {
  const sources = new Set<string>()
  mapSchemas(schema, (subschema) => {
    for (const [, source] of patternsIn(subschema)) sources.add(source)
    return subschema
  })
  return sources
}

/** The keyword and the source of each pattern of a schema, without those of its subschemas. */
function patternsIn({ pattern, patternProperties }: Schema): (readonly [keyword: string, source: string])[] {
  const names = isObject(patternProperties) ? Object.keys(patternProperties) : []
  return [
    ...(typeof pattern === 'string' ? [['pattern', pattern] as const] : []),
    ...names.map((name) => ['patternProperties', name] as const),
  ]
}

function compilePatterns(sources: ReadonlySet<string>): Patterns {
  return new Map([...sources].map((source) => [source, linearPattern(source)]))
}

/**
 * What could take too long: the size of the schema, or of its patterns together, or a reference to a place that is no schema, where
 * nothing counts steps.
 */
function findExcess(schema: PayloadJsonSchema, patterns: ReadonlySet<string>): InputIssue | undefined {
  const fault = findJsonFault(schema, schemaBounds) ?? findStrayReference(schema)
  if (fault !== undefined) return fault
  const length = [...patterns].reduce((sum, { length: one }) => sum + one, 0)
  if (length <= limits.kindPatternsLengthMax) return undefined
  return { path: [], message: `has patterns of more than ${limits.kindPatternsLengthMax} characters` }
}

function findStrayReference(schema: PayloadJsonSchema): InputIssue | undefined {
  const places = new Set<string>()
  const references: { readonly path: (string | number)[]; readonly place: string }[] = []
  mapSchemas(schema, (subschema, path) => {
    places.add(path.map((part) => `/${part}`).join(''))
    for (const anchor of [subschema['$anchor'], subschema['$dynamicAnchor']])
      if (typeof anchor === 'string') places.add(anchor)
    for (const keyword of ['$ref', '$dynamicRef']) {
      const { [keyword]: reference } = subschema
      if (typeof reference === 'string' && reference.startsWith('#'))
        references.push({ path: [...path, keyword], place: placeOf(reference) })
    }
    return subschema
  })
  const stray = references.find(({ place }) => !places.has(place))
  return stray && { path: stray.path, message: 'must refer to a schema' }
}

/** The place of a reference: an anchor, or a pointer with the names of members as they are in the schema. */
function placeOf(reference: string): string {
  const pointer = reference.slice(1).replaceAll('~1', '/').replaceAll('~0', '~')
  try {
    return decodeURIComponent(pointer)
  } catch {
    return pointer
  }
}

/** The only dialect of JSON Schema that a payload schema can have. */
const dialect = 'https://json-schema.org/draft/2020-12/schema'

/** The places that name another dialect. Ajv throws at one that it does not know. */
function findOtherDialects(schema: PayloadJsonSchema): InputIssue[] {
  const issues: InputIssue[] = []
  mapSchemas(schema, (subschema, path) => {
    const { $schema: named } = subschema
    const isKnown = named === undefined || named === dialect || named === `${dialect}#`
    if (!isKnown) issues.push({ path: [...path, '$schema'], message: `must be ${dialect}, or be left out` })
    return subschema
  })
  return issues
}

/**
 * Why a JSON Schema cannot be compiled: it is too large, it is not valid or of another dialect, or a pattern cannot be matched in
 * linear time.
 */
export function findSchemaFaults(schema: PayloadJsonSchema): readonly InputIssue[] {
  const sources = findPatterns(schema)
  const excess = findExcess(schema, sources)
  if (excess !== undefined) return [excess]
  const otherDialects = findOtherDialects(schema)
  if (otherDialects.length > 0) return otherDialects
  metaSchema ??= new Ajv2020({ allErrors: true, strict: false, validateFormats: false, logger: false })
  const isSchema = metaSchema.validateSchema(schema) as boolean
  if (!isSchema) return schemaFaults(metaSchema.errors ?? [])
  const issues: InputIssue[] = []
  const patterns = compilePatterns(sources)
  mapSchemas(schema, (subschema, path) => {
    const { $ref: reference } = subschema
    if (typeof reference === 'string' && !reference.startsWith('#')) {
      issues.push({
        path: [...path, '$ref'],
        message: 'must begin with #: a schema cannot refer to other documents',
      })
    }
    for (const [keyword, source] of patternsIn(subschema)) {
      if (patterns.get(source) === undefined) {
        const message = 'cannot be matched in linear time: remove lookaround and backreferences'
        issues.push({ path: [...path, keyword], message })
      }
    }
    return subschema
  })
  if (issues.length > 0) return issues
  try {
    createSchemaCompiler().compile(schema, patterns)
    return []
  } catch (error) {
    return [{ path: [], message: error instanceof Error ? error.message : 'cannot be compiled' }]
  }
}

function areUnique(items: readonly JsonValue[]): boolean {
  return new Set(items.map((item) => canonicalJson(item))).size === items.length
}

/** A schema with its cost and without the patterns that cannot be matched in linear time. The handler still checks those. */
function withBounds(schema: Schema, patterns: Patterns): Schema {
  const { pattern, patternProperties, ...rest } = schema
  const isLinear = (source: string): boolean => patterns.get(source) !== undefined
  const named = isObject(patternProperties) ? Object.entries(patternProperties) : []
  const kept = named.filter(([source]) => isLinear(source))
  // Without a pattern, the members that it would have matched must not count as additional.
  const { additionalProperties: _a, unevaluatedProperties: _u, ...open } = rest
  return {
    ...(kept.length === named.length ? rest : open),
    ...(typeof pattern === 'string' && isLinear(pattern) && { pattern }),
    ...(kept.length > 0 && { patternProperties: Object.fromEntries(kept) }),
    [cost]: ownNodes(schema),
  }
}

/** The pattern engine of Ajv. */
function patternEngine(
  spend: (steps: number) => void,
  patternOf: (source: string) => LinearPattern | undefined,
) {
  const engine = (source: string) => {
    const pattern = patternOf(source)
    if (pattern === undefined) throw new Error('a pattern that is not linear was not removed')
    return {
      test: (text: string): boolean => {
        spend(Math.ceil((text.length * pattern.size) / patternStepsPerStep))
        return pattern.test(text)
      },
      // Ajv identifies patterns by this text.
      toString: () => `/${source}/u`,
    }
  }
  return Object.assign(engine, { code: 'linearPattern' })
}
