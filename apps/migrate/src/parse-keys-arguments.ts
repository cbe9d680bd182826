import { parseArgs } from 'node:util'
import {
  type KeyRole,
  keyRoles,
  parseRate,
  type Permission,
  permissions,
  type Rate,
  rateForm,
} from '@queue/core/access'
import { ConfigError } from '@queue/service'

/** What is to be done with the keys of the API. */
export type KeysTask =
  | { readonly act: 'list' }
  | {
      readonly act: 'create'
      readonly keyName: string
      readonly role: KeyRole
      readonly permissions: readonly Permission[]
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
  create: ['json', 'name', 'role', 'permission', 'expires-in-days', 'rate'],
  list: ['json'],
  revoke: ['json'],
  rotate: ['json', 'overlap-hours'],
}

/** Reads what follows `keys`. Throws ConfigError (exit 2) with what is wrong and what is accepted. */
export function parseKeysArguments(args: readonly string[]): KeysTask & { readonly format: 'json' | 'text' } {
  const { positionals, values } = split(args)
  const [act = '', ...rest] = positionals
  refuseBounds(values)
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

/** Nothing enforces these yet: a key that only seemed to be bound would open more than its maker believes. */
function refuseBounds(values: Values): void {
  for (const bound of ['tenant', 'queue', 'kind'] as const) {
    if (values[bound] === undefined) continue
    throw refuse(
      `--${bound}: this release does not enforce such a bound, so it makes no key that seems to have one`,
      'keys create --name NAME --role ROLE',
    )
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
  if (keyName.trim() === '')
    throw refuse('a key needs a name that says whose it is', 'keys create --name NAME')
  const role = keyRoles.find((one) => one === givenRole)
  if (role === undefined) throw refuse(`--role ${JSON.stringify(givenRole)} is no role`, keyRoles.join(', '))
  const days = values['expires-in-days']
  return {
    act: 'create',
    keyName,
    role,
    permissions: givenPermissions.map(toPermission),
    expiresInMs: days === undefined ? undefined : wholeNumber('expires-in-days', days) * dayMs,
    rate: values.rate === undefined ? undefined : toRate(values.rate),
  }
}

function toRate(given: string): Rate {
  const rate = parseRate(given)
  if (rate !== undefined) return rate
  throw refuse(`--rate ${JSON.stringify(given)} is no rate`, rateForm)
}

function toPermission(given: string): Permission {
  const permission = permissions.find((one) => one === given)
  if (permission !== undefined) return permission
  throw refuse(`--permission ${JSON.stringify(given)} is no permission`, permissions.join(', '))
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
