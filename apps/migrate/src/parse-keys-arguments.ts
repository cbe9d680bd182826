import { parseArgs } from 'node:util'
import { limits, type Rate } from '@queue/core'
import {
  isWithinBounds,
  jobFields,
  type KeyRole,
  keyRoles,
  parseRate,
  type Permission,
  permissions,
  rateForm,
} from '@queue/core/internal'
import { ConfigError } from '@queue/service'
import type { z } from 'zod'

/** A parsed `keys` command. */
export type KeysTask =
  | { readonly act: 'list' }
  | {
      readonly act: 'create'
      readonly keyName: string
      readonly role: KeyRole
      readonly permissions: readonly Permission[]
      /** The bounds of the key; undefined: no bound. */
      readonly tenantId: string | undefined
      readonly queues: readonly string[] | undefined
      readonly kinds: readonly string[] | undefined
      /** Milliseconds from now; undefined: the key does not expire. */
      readonly expiresInMs: number | undefined
      /** The rate limit of its requests; undefined: the API's limit for every key. */
      readonly rate: Rate | undefined
    }
  | { readonly act: 'revoke'; readonly id: string }
  | { readonly act: 'rotate'; readonly id: string; readonly overlapMs: number }

const dayMs = 86_400_000
const hourMs = 3_600_000
const overlapHoursDefault = 24
const acts = 'keys create, keys list, keys rotate ID, keys revoke ID'

const options = {
  json: { type: 'boolean' },
  name: { type: 'string' },
  role: { type: 'string' },
  permission: { type: 'string', multiple: true },
  'expires-in-days': { type: 'string' },
  'overlap-hours': { type: 'string' },
  tenant: { type: 'string' },
  queue: { type: 'string', multiple: true },
  kind: { type: 'string', multiple: true },
  rate: { type: 'string' },
} as const

type Values = ReturnType<typeof split>['values']

const acceptedOptions: Readonly<Record<string, readonly (keyof Values)[]>> = {
  create: ['json', 'name', 'role', 'permission', 'tenant', 'queue', 'kind', 'expires-in-days', 'rate'],
  list: ['json'],
  revoke: ['json'],
  rotate: ['json', 'overlap-hours'],
}

/** Parses the arguments after `keys`. Throws a ConfigError (exit code 2) that says what is wrong and what is accepted. */
export function parseKeysArguments(args: readonly string[]): KeysTask & { readonly format: 'json' | 'text' } {
  const { positionals, values } = split(args)
  const [act = '', ...rest] = positionals
  refuseForeignOptions(act, values)
  const format = values.json ? 'json' : 'text'
  if (act === 'list' && rest.length === 0) return { act, format }
  if (act === 'create' && rest.length === 0) return { ...parseCreate(values), format }
  const [id] = rest
  if (id !== undefined && rest.length === 1) {
    if (act === 'revoke') return { act, id, format }
    if (act === 'rotate') {
      const hours = wholeNumber('overlap-hours', values['overlap-hours'] ?? String(overlapHoursDefault))
      return { act, id, overlapMs: hours * hourMs, format }
    }
  }
  throw refuse(`"keys ${positionals.join(' ')}" is not a command`, acts)
}

function split(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], allowPositionals: true, options })
  } catch (error) {
    const [fault = ''] = (error as Error).message.split(/\.\s/)
    throw refuse(fault, acts)
  }
}

function refuseForeignOptions(act: string, values: Values): void {
  const accepted = acceptedOptions[act] ?? []
  for (const name of Object.keys(values) as (keyof Values)[]) {
    if (!accepted.includes(name)) throw refuse(`${`keys ${act}`.trimEnd()} has no option --${name}`, acts)
  }
}

function parseCreate(values: Values): KeysTask {
  const { name: keyName = '', role: roleText = '', permission: permissionTexts = [] } = values
  const { tenant, queue, kind } = values
  const isBound = tenant !== undefined || queue !== undefined || kind !== undefined
  if (keyName.trim() === '')
    throw refuse('a key needs a name that identifies its user', 'keys create --name NAME')
  const role = keyRoles.find((keyRole) => keyRole === roleText)
  if (role === undefined)
    throw refuse(`--role ${JSON.stringify(roleText)} is not a role`, keyRoles.join(', '))
  const days = values['expires-in-days']
  return {
    act: 'create',
    keyName,
    role,
    permissions: permissionTexts.map((text) => toPermission(text, isBound)),
    tenantId: bound('tenant', tenant, jobFields.tenantId),
    queues: queue?.map((name) => bound('queue', name, jobFields.queue)),
    kinds: kind?.map((name) => bound('kind', name, jobFields.kind)),
    expiresInMs: days === undefined ? undefined : wholeNumber('expires-in-days', days) * dayMs,
    rate: values.rate === undefined ? undefined : toRate(values.rate),
  }
}

function toRate(text: string): Rate {
  const rate = parseRate(text)
  if (rate !== undefined) return rate
  throw refuse(`--rate ${JSON.stringify(text)} is not a rate`, rateForm)
}

function toPermission(text: string, isBound: boolean): Permission {
  const permission = permissions.find((name) => name === text)
  const accepted = isBound ? permissions.filter(isWithinBounds) : permissions
  if (permission === undefined) {
    throw refuse(`--permission ${JSON.stringify(text)} is not a permission`, accepted.join(', '))
  }
  if (accepted.includes(permission)) return permission
  throw refuse(`--permission ${permission} reaches beyond the bounds of any key`, accepted.join(', '))
}

/** Checks a bound. A key with a bound that no job can match could do nothing. */
function bound<Text extends string | undefined>(option: string, text: Text, schema: z.ZodType): Text {
  if (text === undefined || schema.safeParse(text).success) return text
  throw refuse(`--${option} ${JSON.stringify(text)} is not valid`, acceptedBounds[option] ?? '')
}

const acceptedBounds: Readonly<Record<string, string>> = {
  tenant: `1 to ${limits.tenantIdLengthMax} characters`,
  queue: `1 to ${limits.nameLengthMax} of a-z 0-9 _ . -, the first a letter or digit`,
  kind: `1 to ${limits.nameLengthMax} of a-z 0-9 _ . -, the first a letter or digit`,
}

/** Up to 27 years of days, or one year of hours. A larger number is a typing error. */
const wholeNumberPattern = /^[1-9]\d{0,3}$/

function wholeNumber(option: string, text: string): number {
  if (wholeNumberPattern.test(text)) return Number(text)
  throw refuse(`--${option} ${JSON.stringify(text)} is not valid`, 'a whole number from 1 to 9999')
}

function refuse(fault: string, accepted: string): ConfigError {
  return new ConfigError([`${fault}; accepted: ${accepted}`])
}
