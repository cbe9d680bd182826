import type { InputIssue, JsonValue, PayloadJsonSchema } from '@queue/core'
import { canonicalJson } from '@queue/core/fields'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { kindStepsMax } from '../http/limits.ts'
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

/**
 * Compiles the JSON Schemas (2020-12) of kinds. A check takes a bounded number of steps for any schema and payload: applying a
 * schema to a value costs its number of keywords and their values; a pattern costs the length of the text times its size.
 * `uniqueItems` is checked in linear time. `format` is ignored.
 */
export function createSchemaCompiler(): { compile(schema: PayloadJsonSchema): FaultsOf } {
  let stepsLeft = 0
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
    compile: (isEnabled: boolean) => (items: readonly JsonValue[]) => !isEnabled || areUnique(items),
  })
  return {
    compile: (schema) => {
      const bounded = mapSchemas(schema, withBounds) as Schema
      const validate = ajv.compile(bounded)
      ajv.removeSchema(bounded)
      return (payload) => {
        stepsLeft = kindStepsMax
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

/** Why a JSON Schema cannot be compiled: it is not valid, or a pattern cannot be matched in linear time. */
export function findSchemaFaults(schema: PayloadJsonSchema): readonly InputIssue[] {
  metaSchema ??= new Ajv2020({ allErrors: true, strict: false, validateFormats: false, logger: false })
  const isSchema = metaSchema.validateSchema(schema) as boolean
  if (!isSchema) return schemaFaults(metaSchema.errors ?? [])
  const issues: InputIssue[] = []
  mapSchemas(schema, (subschema, path) => {
    const patterns = [
      ...(typeof subschema['pattern'] === 'string' ? [['pattern', subschema['pattern']]] : []),
      ...(isObject(subschema['patternProperties']) ? Object.keys(subschema['patternProperties']) : []).map(
        (key) => ['patternProperties', key],
      ),
    ] as [string, string][]
    const { $ref: reference } = subschema
    if (typeof reference === 'string' && !reference.startsWith('#')) {
      issues.push({
        path: [...path, '$ref'],
        message: 'must begin with #: a schema cannot refer to other documents',
      })
    }
    for (const [keyword, pattern] of patterns) {
      if (linearPattern(pattern) === undefined) {
        const message = 'cannot be matched in linear time: remove lookaround and backreferences'
        issues.push({ path: [...path, keyword], message })
      }
    }
    return subschema
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

/** A schema with its cost and without the patterns that cannot be matched in linear time. The handler still checks those. */
function withBounds(schema: Schema): Schema {
  const { pattern, patternProperties, ...rest } = schema
  const isLinear = (source: string): boolean => linearPattern(source) !== undefined
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
function patternEngine(spend: (steps: number) => void) {
  const engine = (source: string) => {
    const pattern: LinearPattern | undefined = linearPattern(source)
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
