import { assertRoleName, type Process, processes, type RoleNames } from '@queue/core'
import { defineVariable, type Variable } from '@queue/service'
import { scramVerifier } from './scram-verifier.ts'

/** The names of the roles of the processes, and their passwords where they may log in. */
export const roleVariables = {
  QUEUE_ROLE_API: roleName('api', 'the API and of services that enqueue'),
  QUEUE_ROLE_WORKER: roleName('worker', 'the workers'),
  QUEUE_ROLE_READONLY: roleName('readonly', 'people and dashboards that only read'),
  QUEUE_ROLE_API_PASSWORD: rolePassword('QUEUE_ROLE_API'),
  QUEUE_ROLE_WORKER_PASSWORD: rolePassword('QUEUE_ROLE_WORKER'),
  QUEUE_ROLE_READONLY_PASSWORD: rolePassword('QUEUE_ROLE_READONLY'),
}

type RoleConfig = {
  readonly [Name in keyof typeof roleVariables]: string | undefined
}

/** The names that are set. */
export function roleNames(config: RoleConfig): Partial<RoleNames> {
  return pick((process) => config[variableOf(process)])
}

/** The verifiers of the passwords that are set: no server and no log is told a password. */
export function passwordVerifiers(config: RoleConfig): Partial<Record<Process, string>> {
  return pick((process) => {
    const password = config[`${variableOf(process)}_PASSWORD`]
    return password === undefined ? undefined : scramVerifier(password)
  })
}

function pick(read: (process: Process) => string | undefined): Partial<Record<Process, string>> {
  return Object.fromEntries(
    processes.flatMap((process) => {
      const value = read(process)
      return value === undefined ? [] : [[process, value]]
    }),
  )
}

function variableOf<Given extends Process>(process: Given): `QUEUE_ROLE_${Uppercase<Given>}` {
  return `QUEUE_ROLE_${process.toUpperCase()}` as `QUEUE_ROLE_${Uppercase<Given>}`
}

function roleName(process: Process, whose: string): Variable<string | undefined> {
  return defineVariable<string | undefined>({
    description: `The role of ${whose}, which roles sets up and up keeps so.`,
    accepted: 'the name of a role: 1 to 63 bytes, not beginning with pg_',
    unset: { value: undefined, shown: `QUEUE_SCHEMA and _${process}` },
    parse: (value) => {
      try {
        assertRoleName(value)
        return { value }
      } catch {
        return { fault: 'is no such name' }
      }
    },
  })
}

function rolePassword(role: string): Variable<string | undefined> {
  return defineVariable<string | undefined>({
    description: `With it, roles lets the role of ${role} log in, with this password. Without it, a role that roles makes has no login.`,
    accepted: '8 to 128 printable ASCII characters',
    unset: { value: undefined },
    secrecy: 'secret',
    parse: (value) => (/^[\x20-\x7e]{8,128}$/.test(value) ? { value } : { fault: 'is no such text' }),
  })
}
