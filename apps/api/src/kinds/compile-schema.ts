import type { InputIssue, JsonValue, PayloadJsonSchema } from '@queue/core'
import { canonicalJson } from '@queue/core/fields'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { kindStepsMax } from '../http/limits.ts'
import { type LinearPattern, linearPattern } from './linear-pattern.ts'
import { schemaFaults } from './schema-faults.ts'
import { isObject, mapSchemas, ownNodes, type Schema } from './schema-walk.ts'

/** What a schema finds wrong with a payload; the paths begin in the payload. */
export type FaultsOf = (payload: JsonValue) => readonly InputIssue[]

/** The schema says more than can be checked in the time that a payload may take. */
class OverBudget extends Error {}

/** Characters of text times instructions of a pattern that count as one step. */
const patternStepsPerStep = 16

const cost = 'queue:cost'

/**
 * Compiles JSON Schemas (2020-12) of kinds. A check takes a bounded number of steps, whatever schema and payload are: each
 * schema that is applied to a value costs as many as it has keywords and values of its own, and a pattern as many as the
 * text is long and it is large. `uniqueItems` is checked in linear time, and `format` says nothing.
 */
export function createSchemaCompiler(): { compile(schema: PayloadJsonSchema): FaultsOf } {
  let left = 0
  const spend = (steps: number): void => {
    left -= steps
    if (left < 0) throw new OverBudget()
  }
  const ajv = new Ajv2020({
    allErrors: true,
    verbose: true,
    strict: false,
    validateFormats: false,
    validateSchema: false,
    logger: false,
    code: { regExp: patternEngine(spend) },
  })
  ajv.addKeyword({
    keyword: cost,
    schemaType: 'number',
    compile: (steps: number) => () => {
      spend(steps)
      return true
    },
  })
  ajv.removeKeyword('uniqueItems')
  ajv.addKeyword({
    keyword: 'uniqueItems',
    type: 'array',
    compile: (wanted: boolean) => (items: readonly JsonValue[]) => !wanted || areUnique(items),
  })
  return {
    compile: (schema) => {
      const bounded = mapSchemas(schema, withBounds) as Schema
      const validate = ajv.compile(bounded)
      ajv.removeSchema(bounded)
      return (payload) => {
        left = kindStepsMax
        try {
          return validate(payload) ? [] : schemaFaults(validate.errors ?? [])
        } catch (error) {
          // A schema that refers to itself without end exhausts one or the other.
          if (error instanceof OverBudget || error instanceof RangeError) {
            return [{ path: [], message: 'takes too long to check by the schema of its kind' }]
          }
          throw error
        }
      }
    },
  }
}

/** Knows what a JSON Schema is. Made once: to compile the schema of schemas takes some 20 ms, and most processes need it never. */
let metaSchema: Ajv2020 | undefined

/** What keeps a JSON Schema from being compiled: it is none, or has a pattern that takes more than linear time. */
export function findSchemaFaults(schema: PayloadJsonSchema): readonly InputIssue[] {
  metaSchema ??= new Ajv2020({ allErrors: true, strict: false, validateFormats: false, logger: false })
  const isSchema = metaSchema.validateSchema(schema) as boolean
  if (!isSchema) return schemaFaults(metaSchema.errors ?? [])
  const issues: InputIssue[] = []
  mapSchemas(schema, (one, path) => {
    const patterns = [
      ...(typeof one['pattern'] === 'string' ? [['pattern', one['pattern']]] : []),
      ...(isObject(one['patternProperties']) ? Object.keys(one['patternProperties']) : []).map((key) => [
        'patternProperties',
        key,
      ]),
    ] as [string, string][]
    const { $ref: reference } = one
    if (typeof reference === 'string' && !reference.startsWith('#')) {
      issues.push({ path: [...path, '$ref'], message: 'must begin with #: a schema stands by itself' })
    }
    for (const [keyword, pattern] of patterns) {
      if (linearPattern(pattern) === undefined) {
        const message =
          'is no pattern that can be matched in linear time: look-around and back references cannot'
        issues.push({ path: [...path, keyword], message })
      }
    }
    return one
  })
  if (issues.length > 0) return issues
  try {
    createSchemaCompiler().compile(schema)
    return []
  } catch (error) {
    return [{ path: [], message: error instanceof Error ? error.message : 'cannot be compiled' }]
  }
}

function areUnique(items: readonly JsonValue[]): boolean {
  return new Set(items.map((item) => canonicalJson(item))).size === items.length
}

/** A schema with its cost, and without the patterns that cannot be matched in linear time: its handler knows them. */
function withBounds(schema: Schema): Schema {
  const { pattern, patternProperties, ...rest } = schema
  const isLinear = (one: string): boolean => linearPattern(one) !== undefined
  const named = isObject(patternProperties) ? Object.entries(patternProperties) : []
  const kept = named.filter(([one]) => isLinear(one))
  // What an unknown pattern would have taken is not for this to refuse.
  const { additionalProperties: _a, unevaluatedProperties: _u, ...open } = rest
  return {
    ...(kept.length === named.length ? rest : open),
    ...(typeof pattern === 'string' && isLinear(pattern) && { pattern }),
    ...(kept.length > 0 && { patternProperties: Object.fromEntries(kept) }),
    [cost]: ownNodes(schema),
  }
}

/** The patterns of a schema as Ajv asks for them. */
function patternEngine(spend: (steps: number) => void) {
  const engine = (source: string) => {
    const pattern: LinearPattern | undefined = linearPattern(source)
    if (pattern === undefined) throw new Error('a pattern that is not linear was not left out')
    return {
      test: (text: string): boolean => {
        spend(Math.ceil((text.length * pattern.size) / patternStepsPerStep))
        return pattern.test(text)
      },
      // By which Ajv tells patterns apart.
      toString: () => `/${source}/u`,
    }
  }
  return Object.assign(engine, { code: 'linearPattern' })
}
