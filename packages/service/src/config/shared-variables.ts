import { accessSync, constants } from 'node:fs'
import { assertSchemaName } from '@queue/core/runtime'
import { parseServers } from '@queue/core/connection'
import { logFormats, logLevels } from '@queue/telemetry'
import { choice, durationMs, integer, text } from './variable-kinds.ts'
import { defineVariable, type ParsedText, type Variable } from './variable.ts'

const databaseUrlAccepted =
  'postgres://user:password@host:port/database (or postgresql://…), or several hosts: host:port,host:port'

/** How a process reaches the database. To be spread into an app's configuration schema. */
export const databaseVariables = {
  DATABASE_URL: defineVariable({
    description: 'The PostgreSQL database that holds the queue.',
    accepted: databaseUrlAccepted,
    unset: 'required',
    secrecy: 'secret',
    parse: parseDatabaseUrl,
  }),
  QUEUE_SCHEMA: schemaName({
    description: 'The PostgreSQL schema that holds the tables of the queue.',
    default: 'queue',
  }),
}

/** A second database that a process may be given, written as `DATABASE_URL` is. */
export function optionalDatabaseUrl(options: { readonly description: string }): Variable<string | undefined> {
  return defineVariable<string | undefined>({
    description: options.description,
    accepted: databaseUrlAccepted,
    unset: { value: undefined },
    secrecy: 'secret',
    parse: parseDatabaseUrl,
  })
}

/** The name of a schema that this code makes and reads. */
export function schemaName(options: {
  readonly description: string
  readonly default: string
}): Variable<string> {
  return defineVariable({
    description: options.description,
    accepted: 'a lower-case identifier of at most 58 characters that does not begin with pg_',
    unset: { value: options.default, shown: options.default },
    parse: parseSchemaName,
  })
}

/** The size and patience of the connection pool, and what stands between it and PostgreSQL. */
export const poolVariables = {
  DATABASE_POOL_MAX: integer({
    description: 'How many connections the pool may hold.',
    default: 10,
    min: 1,
    max: 1_000,
  }),
  DATABASE_ACQUIRE_TIMEOUT_MS: durationMs({
    description: 'How long to wait for a free connection before giving up.',
    default: 5_000,
    min: 1,
    max: 600_000,
  }),
  DATABASE_IDLE_TIMEOUT_MS: durationMs({
    description: 'How long an unused connection stays open; 0 means for ever.',
    default: 300_000,
    min: 0,
    max: 86_400_000,
  }),
  DATABASE_POOLER: choice({
    description:
      'What stands between this process and PostgreSQL: nothing (or a session-mode pooler), or a pooler in ' +
      'transaction mode, such as PgBouncer; the latter does without notifications and named statements.',
    choices: ['none', 'transaction'],
    default: 'none',
  }),
}

/** What is logged, and how. */
export const logVariables = {
  LOG_LEVEL: choice({
    description: 'The least grave level that is logged.',
    choices: logLevels,
    default: 'info',
  }),
  LOG_FORMAT: choice({
    description:
      'One JSON object per line, or readable text; auto is json when NODE_ENV is production, else pretty.',
    choices: [...logFormats, 'auto'],
    default: 'auto',
  }),
  NODE_ENV: text({
    description: 'Set it to production where the process serves for real.',
    default: 'development',
  }),
}

function parseDatabaseUrl(value: string): ParsedText<string> {
  if (!/^postgres(ql)?:\/\//i.test(value))
    return { fault: 'does not begin with postgres:// or postgresql://' }
  try {
    const servers = parseServers(value)
    if ('fault' in servers) return servers
    const urls = servers.urls.map((server) => new URL(server))
    for (const { username, password, hostname, pathname } of urls) {
      for (const part of [username, password, hostname, pathname]) decodeURIComponent(part)
    }
    const [fault] = urls.map(({ searchParams }) => tlsFault(searchParams))
    return fault === undefined ? { value } : { fault }
  } catch {
    return {
      fault:
        'is not a URL (the characters @ : / ? # % and white space in a password must be percent-encoded)',
    }
  }
}

/** Those of node-postgres: libpq's, and one that encrypts without looking at the certificate. */
const sslModes = ['disable', 'prefer', 'require', 'verify-ca', 'verify-full', 'no-verify']

/** What would otherwise come to light at the first connection, as an outage that never ends. */
function tlsFault(parameters: URLSearchParams): string | undefined {
  const mode = parameters.get('sslmode')
  if (mode !== null && !sslModes.includes(mode))
    return `has an sslmode that is none of ${sslModes.join(', ')}`
  for (const name of ['sslrootcert', 'sslcert', 'sslkey']) {
    const file = parameters.get(name)
    if (file !== null && !isReadable(file)) return `names a file in ${name} that cannot be read`
  }
  return undefined
}

function isReadable(file: string): boolean {
  try {
    accessSync(file, constants.R_OK)
    return true
  } catch {
    return false
  }
}

function parseSchemaName(value: string): ParsedText<string> {
  try {
    assertSchemaName(value)
    return { value }
  } catch {
    return { fault: 'is not such an identifier' }
  }
}
