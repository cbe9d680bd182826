import { parseArgs } from 'node:util'
import { limits } from '@queue/core'
import {
  isWithinBounds,
  type KeyRole,
  keyRoles,
  parseRate,
  type Permission,
  permissions,
  type Rate,
  rateForm,
} from '@queue/core/access'
import { jobFields } from '@queue/core/fields'
import { ConfigError } from '@queue/service'
import type { z } from 'zod'

/** What is to be done with the keys of the API. */
export type KeysTask =
  | { readonly act: 'list' }
  | {
      readonly act: 'create'
      readonly keyName: string
      readonly role: KeyRole
      readonly permissions: readonly Permission[]
      /** What it is bound to; undefined: nothing of that sort. */
      readonly tenantId: string | undefined
      readonly queues: readonly string[] | undefined
      readonly kinds: readonly string[] | undefined
      /** Milliseconds from now; undefined: it does not expire. */
      readonly expiresInMs: number | undefined
      /** Undefined: what the API lets every key send. */
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

const optionsOf: Readonly<Record<string, readonly (keyof Values)[]>> = {
  create: ['json', 'name', 'role', 'permission', 'tenant', 'queue', 'kind', 'expires-in-days', 'rate'],
  list: ['json'],
  revoke: ['json'],
  rotate: ['json', 'overlap-hours'],
}

/** Reads what follows `keys`. Throws ConfigError (exit 2) with what is wrong and what is accepted. */
export function parseKeysArguments(args: readonly string[]): KeysTask & { readonly format: 'json' | 'text' } {
  const { positionals, values } = split(args)
  const [act = '', ...rest] = positionals
  refuseOthersOptions(act, values)
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
  throw refuse(`"keys ${positionals.join(' ')}" is no command`, acts)
}

function split(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], allowPositionals: true, options })
  } catch (error) {
    const [fault = ''] = (error as Error).message.split(/\.\s/)
    throw refuse(fault, acts)
  }
}

function refuseOthersOptions(act: string, values: Values): void {
  const accepted = optionsOf[act] ?? []
  for (const name of Object.keys(values) as (keyof Values)[]) {
    if (!accepted.includes(name)) throw refuse(`--${name} does not go with keys ${act}`.trimEnd(), acts)
  }
}

function parseCreate(values: Values): KeysTask {
  const { name: keyName = '', role: givenRole = '', permission: givenPermissions = [] } = values
  const { tenant, queue, kind } = values
  const isBound = tenant !== undefined || queue !== undefined || kind !== undefined
  if (keyName.trim() === '')
    throw refuse('a key needs a name that says whose it is', 'keys create --name NAME')
  const role = keyRoles.find((one) => one === givenRole)
  if (role === undefined) throw refuse(`--role ${JSON.stringify(givenRole)} is no role`, keyRoles.join(', '))
  const days = values['expires-in-days']
  return {
    act: 'create',
    keyName,
    role,
    permissions: givenPermissions.map((given) => toPermission(given, isBound)),
    tenantId: bound('tenant', tenant, jobFields.tenantId),
    queues: queue?.map((name) => bound('queue', name, jobFields.queue)),
    kinds: kind?.map((name) => bound('kind', name, jobFields.kind)),
    expiresInMs: days === undefined ? undefined : wholeNumber('expires-in-days', days) * dayMs,
    rate: values.rate === undefined ? undefined : toRate(values.rate),
  }
}

function toRate(given: string): Rate {
  const rate = parseRate(given)
  if (rate !== undefined) return rate
  throw refuse(`--rate ${JSON.stringify(given)} is no rate`, rateForm)
}

function toPermission(given: string, isBound: boolean): Permission {
  const permission = permissions.find((one) => one === given)
  const accepted = isBound ? permissions.filter(isWithinBounds) : permissions
  if (permission === undefined) {
    throw refuse(`--permission ${JSON.stringify(given)} is no permission`, accepted.join(', '))
  }
  if (accepted.includes(permission)) return permission
  throw refuse(`--permission ${permission} reaches beyond the bounds of any key`, accepted.join(', '))
}

/** A bound that nothing could match would be a key that opens nothing. */
function bound<Given extends string | undefined>(option: string, given: Given, schema: z.ZodType): Given {
  if (given === undefined || schema.safeParse(given).success) return given
  throw refuse(`--${option} ${JSON.stringify(given)} is none`, acceptedBounds[option] ?? '')
}

const acceptedBounds: Readonly<Record<string, string>> = {
  tenant: `1 to ${limits.tenantIdLengthMax} characters`,
  queue: `1 to ${limits.nameLengthMax} of a-z 0-9 _ . -, the first a letter or digit`,
  kind: `1 to ${limits.nameLengthMax} of a-z 0-9 _ . -, the first a letter or digit`,
}

/** 27 years of days, a year of hours: more is a slip. */
const wholeNumberPattern = /^[1-9]\d{0,3}$/

function wholeNumber(option: string, given: string): number {
  if (wholeNumberPattern.test(given)) return Number(given)
  throw refuse(`--${option} ${JSON.stringify(given)} is no such number`, '1 to 9999')
}

function refuse(fault: string, accepted: string): ConfigError {
  return new ConfigError([`${fault}; accepted: ${accepted}`])
}
