import { parseExactJson, parseExactNumber } from '../../api/exact-json.ts'

/** The part of a JSON Schema that the form uses. */
interface Schema {
  readonly type?: unknown
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly enum?: readonly unknown[]
  readonly description?: string
  readonly default?: unknown
  readonly minimum?: number
  readonly maximum?: number
  readonly maxLength?: number
}

export type FieldType = 'text' | 'number' | 'boolean' | 'choice' | 'json'

export interface SchemaField {
  readonly name: string
  readonly type: FieldType
  readonly required: boolean
  readonly hint: string
  /** The options of a `choice`. */
  readonly choices: readonly string[]
  readonly initial: string
}

/** The members of an object as fields; undefined if the payload is not an object, and can only be edited as JSON. */
export function fieldsOf(payloadSchema: Readonly<Record<string, unknown>>): SchemaField[] | undefined {
  const schema = payloadSchema as Schema
  if (schema.type !== 'object' || schema.properties === undefined) return undefined
  const required = new Set(schema.required)
  return Object.entries(schema.properties).map(([name, member]) => {
    const type = typeOf(member)
    return {
      name,
      type,
      required: required.has(name) && member.default === undefined,
      hint: hintOf(member, type),
      choices: (member.enum ?? []).filter((one) => typeof one === 'string'),
      initial: initialOf(member, type),
    }
  })
}

function typeOf({ type, enum: choices }: Schema): FieldType {
  if (choices !== undefined && choices.every((one) => typeof one === 'string')) return 'choice'
  if (type === 'string') return 'text'
  if (type === 'integer' || type === 'number') return 'number'
  return type === 'boolean' ? 'boolean' : 'json'
}

/** The description and the bounds, except the bounds of safe integers. */
function hintOf({ description, minimum, maximum, maxLength }: Schema, type: FieldType): string {
  const isBound = (bound: number | undefined): bound is number =>
    bound !== undefined && Math.abs(bound) < Number.MAX_SAFE_INTEGER
  return [
    ...(description === undefined ? [] : [description]),
    ...(isBound(minimum) ? [`at least ${minimum}`] : []),
    ...(isBound(maximum) ? [`at most ${maximum}`] : []),
    ...(isBound(maxLength) ? [`at most ${maxLength} characters`] : []),
    ...(type === 'json' ? ['JSON'] : []),
  ].join(' · ')
}

function initialOf({ default: initial }: Schema, type: FieldType): string {
  if (initial === undefined) return ''
  return typeof initial === 'string' && type !== 'json' ? initial : JSON.stringify(initial)
}

export type FieldTexts = Readonly<Record<string, string>>

/** The payload from the fields. Empty fields are left out, so that defaults apply. Throws on what is no JSON, or no exact number. */
export function payloadOf(fields: readonly SchemaField[], texts: FieldTexts): Record<string, unknown> {
  const members = fields.flatMap(({ name, type }) => {
    const text = texts[name] ?? ''
    return text === '' ? [] : [[name, valueOf(text, type)] as const]
  })
  return Object.fromEntries(members)
}

/**
 * The texts of the fields for a payload that is given as JSON. Throws, with the reason, if the form cannot show all of it:
 * the payload of the fields would differ.
 */
export function textsOf(fields: readonly SchemaField[], json: string): FieldTexts {
  const payload = objectOf(json)
  const unknown = Object.keys(payload).find((name) => !fields.some((field) => field.name === name))
  if (unknown !== undefined) throw new Error(`The form has no field for "${unknown}".`)
  return Object.fromEntries(
    fields.map((field) => [
      field.name,
      Object.hasOwn(payload, field.name) ? textOf(field, payload[field.name]) : '',
    ]),
  )
}

function objectOf(json: string): Readonly<Record<string, unknown>> {
  const payload = parseExactJson(json)
  if (typeof payload === 'object' && payload !== null && !Array.isArray(payload)) {
    return payload as Readonly<Record<string, unknown>>
  }
  throw new Error('The form can only show an object.')
}

function textOf({ name, type, choices }: SchemaField, value: unknown): string {
  const text = type === 'json' ? JSON.stringify(value, null, 2) : String(value)
  if (type === 'choice' && !choices.includes(text))
    throw new Error(`The form has no such choice for "${name}".`)
  if (text === '' || (valueOf(text, type) !== value && type !== 'json')) {
    throw new Error(`The form cannot show this value of "${name}".`)
  }
  return text
}

function valueOf(text: string, type: FieldType): unknown {
  switch (type) {
    case 'number':
      return parseExactNumber(text)
    case 'boolean':
      return text === 'true'
    case 'json':
      return parseExactJson(text)
    case 'text':
    case 'choice':
      return text
  }
}
