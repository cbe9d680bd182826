import { accessSync, constants } from 'node:fs'
import { schemaDefault } from '@queue/core/internal'
import { assertSchemaName, poolSettingsSchema } from '@queue/postgres'
import { parseServers } from '@queue/postgres/connection'
import { logFormats, logLevels } from '@queue/telemetry'
import { z } from 'zod'
import { type BindAddress, parseBindAddress } from './bind-address.ts'

/** A URL of a database. */
export const databaseUrl = z
  .string()
  .superRefine((value, context) => {
    const fault = databaseUrlFault(value)
    if (fault !== undefined) context.addIssue({ code: 'custom', message: fault })
  })
  .meta({
    secret: true,
    accepted:
      'postgres://user:password@host:port/database (or postgresql://…), or several hosts: host:port,host:port',
  })

/** The name of a schema of the queue or the outbox. */
export const schemaName = z.string().refine(isSchemaName, 'is not a valid schema name').meta({
  accepted: 'a lower-case identifier of at most 56 characters that does not begin with pg_',
})

/** Sixteen random characters cannot be guessed. */
const secretLengthMin = 16

/** A secret, such as a token. A short secret is refused, because it can be guessed. */
export const secret = z
  .string()
  .min(secretLengthMin, `is shorter than ${secretLengthMin} characters`)
  .meta({ secret: true, accepted: `at least ${secretLengthMin} characters without line breaks` })

/** An address to listen on, `host:port`; port 0 means any free port. */
export const bindAddress = z
  .string()
  .transform((text, context): BindAddress => {
    const parsed = parseBindAddress(text)
    if ('value' in parsed) return parsed.value
    context.addIssue({ code: 'custom', message: parsed.fault })
    return z.NEVER
  })
  .meta({
    accepted: 'host:port, such as 0.0.0.0:8080, localhost:8080 or [::1]:8080; port 0 takes any free port',
  })

/** The variables with which a process finds the database, to spread into an app's configuration schema. */
export const databaseVariables = {
  DATABASE_URL: databaseUrl.meta({ description: 'The PostgreSQL database of the queue.' }),
  QUEUE_SCHEMA: schemaName
    .default(schemaDefault)
    .meta({ description: 'The PostgreSQL schema with the tables of the queue.' }),
}

/** The size and timeouts of the connection pool, and whether a pooler is between it and PostgreSQL. */
export const poolVariables = {
  pool: poolSettingsSchema,
  DATABASE_POOLER: z
    .enum(['none', 'transaction'])
    .default('none')
    .meta({
      description:
        'The pooler between this process and PostgreSQL. none: no pooler, or one in session mode. transaction: a pooler in ' +
        'transaction mode, such as PgBouncer; notifications and prepared statements are then off.',
    }),
}

/** The variables of the log. */
export const logVariables = {
  LOG_LEVEL: z.enum(logLevels).default('info').meta({ description: 'The lowest level that is logged.' }),
  LOG_FORMAT: z
    .enum([...logFormats, 'auto'])
    .default('auto')
    .meta({
      description:
        'json: one JSON object per line. pretty: readable text. auto: json if NODE_ENV is production, else pretty.',
    }),
  NODE_ENV: z.string().default('development').meta({ description: 'Set it to production in production.' }),
}

function databaseUrlFault(value: string): string | undefined {
  if (!/^postgres(ql)?:\/\//i.test(value)) return 'does not begin with postgres:// or postgresql://'
  try {
    const servers = parseServers(value)
    if ('fault' in servers) return servers.fault
    const urls = servers.urls.map((server) => new URL(server))
    for (const { username, password, hostname, pathname } of urls) {
      for (const part of [username, password, hostname, pathname]) decodeURIComponent(part)
    }
    return urls.map(({ searchParams }) => tlsFault(searchParams))[0]
  } catch {
    return 'is not a URL (the characters @ : / ? # % and white space in a password must be percent-encoded)'
  }
}

/** The modes of node-postgres: libpq's, and one that encrypts without checking the certificate. */
const sslModes = ['disable', 'prefer', 'require', 'verify-ca', 'verify-full', 'no-verify']

/** Faults of the TLS parameters. Otherwise they would appear at the first connection, as an outage that never ends. */
function tlsFault(parameters: URLSearchParams): string | undefined {
  const mode = parameters.get('sslmode')
  if (mode !== null && !sslModes.includes(mode))
    return `has an invalid sslmode: it must be one of ${sslModes.join(', ')}`
  for (const name of ['sslrootcert', 'sslcert', 'sslkey']) {
    const file = parameters.get(name)
    if (file !== null && !isReadable(file)) return `has in ${name} the path of a file that cannot be read`
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

function isSchemaName(value: string): boolean {
  try {
    assertSchemaName(value)
    return true
  } catch {
    return false
  }
}
