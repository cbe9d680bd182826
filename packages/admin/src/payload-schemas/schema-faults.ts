import type { InputIssue } from '@queue/core'
import type { ErrorObject } from 'ajv'
import { isObject } from './schema-walk.ts'

/** The errors that are converted. An answer has fewer issues, and to compare all errors of a large payload takes long. */
const errorsReadMax = 1_000

/**
 * Converts the errors of Ajv to the issues that zod would report: a missing or unknown member has its own path, and a union
 * reports only the errors of the member that was meant.
 */
export function schemaFaults(errors: readonly ErrorObject[]): readonly InputIssue[] {
  const seen = new Set<string>()
  return foldUnions(withoutSurplus(errors.slice(0, errorsReadMax)))
    .map((error) => ({ path: pathOf(error), message: error.message ?? 'is invalid' }))
    .filter(({ path, message }) => {
      const key = JSON.stringify([path, message])
      if (seen.has(key)) return false
      seen.add(key)
      return true
    })
}

function pathOf({ instancePath, keyword, params, propertyName }: ErrorObject): (string | number)[] {
  const path = parse(instancePath)
  const { missingProperty, additionalProperty, unevaluatedProperty, propertyName: name } = params
  const own = { required: missingProperty, additionalProperties: additionalProperty, propertyNames: name }
  const member: unknown =
    own[keyword as keyof typeof own] ?? unevaluatedProperty ?? propertyName ?? params['discriminator']
  return typeof member === 'string' ? [...path, member] : path
}

function parse(pointer: string): string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
}

/**
 * Removes errors that zod would not report: those of the elements of a too long array, that an array around it is too short, and
 * those of the value of an invalid key.
 */
function withoutSurplus(errors: readonly ErrorObject[]): readonly ErrorObject[] {
  const full = errors
    .filter(({ keyword }) => keyword === 'maxItems')
    .map(({ instancePath }) => `${instancePath}/`)
  const keys = errors
    .filter(({ keyword }) => keyword === 'propertyNames')
    .map(({ instancePath, params }) => `${instancePath}/${escape(String(params['propertyName']))}/`)
  if (full.length + keys.length === 0) return errors
  return errors.filter(
    ({ instancePath, keyword }) =>
      !full.some((prefix) => instancePath.startsWith(prefix)) &&
      !(keyword === 'minItems' && full.some((prefix) => prefix.startsWith(`${instancePath}/`))) &&
      !keys.some((prefix) => `${instancePath}/`.startsWith(prefix)),
  )
}

function escape(key: string): string {
  return key.replaceAll('~', '~0').replaceAll('/', '~1')
}

/** Ajv reports the errors of all members of a union first, and then that of the union itself. */
function foldUnions(errors: readonly ErrorObject[]): ErrorObject[] {
  const folded: ErrorObject[] = []
  for (const error of errors) {
    const isUnion =
      error.keyword === 'anyOf' || (error.keyword === 'oneOf' && !error.params['passingSchemas'])
    if (!isUnion) {
      folded.push(error)
      continue
    }
    let first = folded.length
    while (first > 0 && isWithin(folded[first - 1], error)) first -= 1
    const members = folded.splice(first)
    folded.push(...ofUnion(error, members))
  }
  return folded
}

function isWithin(error: ErrorObject | undefined, { instancePath }: ErrorObject): boolean {
  if (error === undefined) return false
  return error.instancePath === instancePath || error.instancePath.startsWith(`${instancePath}/`)
}

/** Errors after which zod continues: the value has the right type, but is out of bounds. */
const bounds: ReadonlySet<string> = new Set([
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'pattern',
  'multipleOf',
  'additionalProperties',
])

/** The errors of the union member that was meant, if that is clear; otherwise the error of the union. */
function ofUnion(union: ErrorObject, errors: readonly ErrorObject[]): readonly ErrorObject[] {
  const members: readonly unknown[] = Array.isArray(union.schema) ? union.schema : []
  const byMember = members.map((member, index) =>
    errors.filter((error) => isOf(error, { union, member, index })),
  )
  const notNull = byMember.filter((_own, index) => !isNull(members[index]))
  if (notNull.length === 1) return notNull[0] ?? []
  const name = union.keyword === 'oneOf' ? discriminatorOf(members) : undefined
  if (name === undefined) {
    const candidates = byMember.filter(
      (own) => own.length > 0 && own.every(({ keyword }) => bounds.has(keyword)),
    )
    return candidates.length === 1 ? (candidates[0] ?? []) : [union]
  }
  if (!isObject(union.data)) return [union]
  const value = union.data[name]
  const chosen = members.findIndex((member) => valuesOf(member, name)?.includes(value))
  if (chosen >= 0) return byMember[chosen] ?? []
  return [{ ...union, params: { discriminator: name } }]
}

/** Whether a schema accepts only null: beside one other member, it makes the value nullable. */
function isNull(member: unknown): boolean {
  if (!isObject(member)) return false
  const { type, anyOf } = member
  return (
    [type].flat().every((typeName) => typeName === 'null') || (Array.isArray(anyOf) && anyOf.every(isNull))
  )
}

interface Membership {
  readonly union: ErrorObject
  readonly member: unknown
  readonly index: number
}

function isOf({ schemaPath }: ErrorObject, { union, member, index }: Membership): boolean {
  const reference = isObject(member) ? member['$ref'] : undefined
  return (
    schemaPath.startsWith(`${union.schemaPath}/${index}/`) ||
    (typeof reference === 'string' && schemaPath.startsWith(`${reference}/`))
  )
}

/** The property whose value identifies the member of a union: each member has its own constants for it. */
function discriminatorOf(members: readonly unknown[]): string | undefined {
  const [first] = members
  if (!isObject(first) || !isObject(first['properties'])) return undefined
  return Object.keys(first['properties']).find((name) =>
    members.every((member) => valuesOf(member, name) !== undefined),
  )
}

function valuesOf(member: unknown, name: string): readonly unknown[] | undefined {
  const properties = isObject(member) ? member['properties'] : undefined
  const property = isObject(properties) ? properties[name] : undefined
  if (!isObject(property)) return undefined
  if ('const' in property) return [property['const']]
  return Array.isArray(property['enum']) ? property['enum'] : undefined
}
