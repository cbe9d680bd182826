import type { Process } from '@queue/core'
import { processes, type RoleNames } from '@queue/core/internal'
import { assertRoleName } from '@queue/postgres'
import { type OutboxProcess, outboxProcesses } from '@queue/outbox'
import { z } from 'zod'
import { scramVerifier } from './scram-verifier.ts'

/** The commands that create the roles of a schema, and those that update their grants. */
const commands = {
  QUEUE: { create: 'queue-migrate roles', update: 'queue-migrate up' },
  OUTBOX: { create: 'queue-migrate outbox roles', update: 'queue-migrate outbox up' },
} as const

/** The names of the roles of the queue's processes, and the passwords of the roles that can log in. */
export const roleVariables = {
  QUEUE_ROLE_API: roleName('QUEUE', 'api', 'the API and of services that enqueue'),
  QUEUE_ROLE_WORKER: roleName('QUEUE', 'worker', 'the workers'),
  QUEUE_ROLE_READONLY: roleName('QUEUE', 'readonly', 'people and dashboards that only read'),
  QUEUE_ROLE_ENQUEUE: roleName('QUEUE', 'enqueue', 'applications that call the functions of the schema'),
  QUEUE_ROLE_FUNCTIONS: roleName(
    'QUEUE',
    'functions',
    'the functions themselves; no process connects with it',
  ),
  QUEUE_ROLE_API_TENANT: roleName('QUEUE', 'api_tenant', "the API for requests with a tenant's key"),
  QUEUE_ROLE_API_PASSWORD: rolePassword('QUEUE_ROLE_API'),
  QUEUE_ROLE_WORKER_PASSWORD: rolePassword('QUEUE_ROLE_WORKER'),
  QUEUE_ROLE_READONLY_PASSWORD: rolePassword('QUEUE_ROLE_READONLY'),
  QUEUE_ROLE_ENQUEUE_PASSWORD: rolePassword('QUEUE_ROLE_ENQUEUE'),
  QUEUE_ROLE_API_TENANT_PASSWORD: rolePassword('QUEUE_ROLE_API_TENANT'),
}

/** The same for an outbox. */
export const outboxRoleVariables = {
  OUTBOX_ROLE_PUBLISHER: roleName('OUTBOX', 'publisher', 'the service that publishes messages'),
  OUTBOX_ROLE_RELAY: roleName('OUTBOX', 'relay', 'the relays'),
  OUTBOX_ROLE_READONLY: roleName('OUTBOX', 'readonly', 'people and dashboards that only read the outbox'),
  OUTBOX_ROLE_PUBLISHER_PASSWORD: rolePassword('OUTBOX_ROLE_PUBLISHER'),
  OUTBOX_ROLE_RELAY_PASSWORD: rolePassword('OUTBOX_ROLE_RELAY'),
  OUTBOX_ROLE_READONLY_PASSWORD: rolePassword('OUTBOX_ROLE_READONLY'),
}

type RoleConfig<Prefix extends string, Role extends string> = {
  readonly [Name in `${Prefix}_ROLE_${Uppercase<Role>}${'' | '_PASSWORD'}`]?: string | undefined
}

/** The names of roles that are set; the others get their defaults. */
export function roleNames(config: RoleConfig<'QUEUE', Process>): Partial<RoleNames> {
  return pick(processes, (process) => config[`QUEUE_ROLE_${upper(process)}`])
}

/** The verifiers of the passwords that are set. The passwords themselves are never sent to a server or logged. */
export function passwordVerifiers(config: RoleConfig<'QUEUE', Process>): Partial<Record<Process, string>> {
  return pick(processes, (process) => verifierOf(config[`QUEUE_ROLE_${upper(process)}_PASSWORD`]))
}

export function outboxRoleNames(
  config: RoleConfig<'OUTBOX', OutboxProcess>,
): Partial<Record<OutboxProcess, string>> {
  return pick(outboxProcesses, (process) => config[`OUTBOX_ROLE_${upper(process)}`])
}

export function outboxPasswordVerifiers(
  config: RoleConfig<'OUTBOX', OutboxProcess>,
): Partial<Record<OutboxProcess, string>> {
  return pick(outboxProcesses, (process) => verifierOf(config[`OUTBOX_ROLE_${upper(process)}_PASSWORD`]))
}

function pick<Role extends string>(
  roles: readonly Role[],
  read: (process: Role) => string | undefined,
): Partial<Record<Role, string>> {
  const entries = roles.flatMap((process) => {
    const value = read(process)
    return value === undefined ? [] : [[process, value]]
  })
  return Object.fromEntries(entries) as Partial<Record<Role, string>>
}

function upper<Text extends string>(text: Text): Uppercase<Text> {
  return text.toUpperCase() as Uppercase<Text>
}

function verifierOf(password: string | undefined): string | undefined {
  return password === undefined ? undefined : scramVerifier(password)
}

function roleName(prefix: keyof typeof commands, process: string, users: string) {
  return z
    .string()
    .refine(isRoleName, 'is not a valid name')
    .optional()
    .meta({
      accepted: 'the name of a role: 1 to 63 bytes, not beginning with pg_',
      unset: `${prefix}_SCHEMA and _${process}`,
      description: `The role of ${users}. ${commands[prefix].create} creates it, and ${commands[prefix].update} updates its grants.`,
    })
}

function isRoleName(value: string): boolean {
  try {
    assertRoleName(value)
    return true
  } catch {
    return false
  }
}

function rolePassword(role: string) {
  return z
    .string()
    .regex(/^[\x20-\x7e]{16,128}$/, 'does not match')
    .optional()
    .meta({
      secret: true,
      accepted: '16 to 128 printable ASCII characters',
      description: `If set, queue-migrate roles lets the role of ${role} log in with this password. If unset, a role that it creates cannot log in.`,
    })
}
