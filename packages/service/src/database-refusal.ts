import { QueueError } from '@queue/core'
import { errorCodeOf, explainError } from './explain-error.ts'
import { ExitError, exitCodes } from './exit-code.ts'

/** A database, described in the operator's terms. */
export interface NamedDatabase {
  /** The variable with its URL. */
  readonly variable: string
  /** A description of its schema, with the command that grants privileges on it. */
  readonly schema: string
}

const queueDatabase: NamedDatabase = {
  variable: 'DATABASE_URL',
  schema: "the queue's schema (queue-migrate doctor names it, queue-migrate roles grants it)",
}

/** The database of an outbox; without a URL of its own it is the queue's database. */
export function outboxDatabase(config: { readonly OUTBOX_DATABASE_URL?: string | undefined }): NamedDatabase {
  return {
    variable: config.OUTBOX_DATABASE_URL === undefined ? 'DATABASE_URL' : 'OUTBOX_DATABASE_URL',
    schema: "the outbox's schema (queue-migrate outbox roles grants it)",
  }
}

type Refusal = (database: NamedDatabase) => string

const untrusted: Refusal = ({ variable }) =>
  `the database's certificate is not trusted: ${variable} must name the authority that signed it, in sslrootcert`

/** The errors of PostgreSQL (by SQLSTATE) or TLS that waiting does not solve, described in the operator's terms. */
const refusals: Readonly<Record<string, Refusal>> = {
  '28P01': ({ variable }) => `the database refused the user or the password in ${variable}`,
  '28000': ({ variable }) => `the database refused the user in ${variable}`,
  '3D000': ({ variable }) => `the database named in ${variable} does not exist`,
  '42501': ({ variable, schema }) => `the user in ${variable} lacks a privilege on ${schema}`,
  DEPTH_ZERO_SELF_SIGNED_CERT: untrusted,
  SELF_SIGNED_CERT_IN_CHAIN: untrusted,
  UNABLE_TO_GET_ISSUER_CERT: untrusted,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: untrusted,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: untrusted,
  CERT_SIGNATURE_FAILURE: untrusted,
  CERT_HAS_EXPIRED: () => "the database's certificate has expired",
  CERT_NOT_YET_VALID: () => "the database's certificate is not valid yet",
  ERR_TLS_CERT_ALTNAME_INVALID: ({ variable }) =>
    `the database's certificate is for another name than the host in ${variable}`,
}

/**
 * The one-line error that ends the process if waiting for the database will not help: PostgreSQL refuses the user, password or
 * database of its URL, or its certificate is not accepted. Undefined for every other error.
 */
export function refusalOf(error: unknown, database: NamedDatabase = queueDatabase): ExitError | undefined {
  // The error of a failed migration names the step, so it is more helpful than its cause.
  if (error instanceof QueueError && error.code === 'migration_failed') return undefined
  // A wrong certificate is reported as an outage, with the reason as its cause.
  const cause = error instanceof QueueError ? error.cause : error
  const refusal = refusals[errorCodeOf(cause) ?? '']?.(database) ?? plaintextRefusal(cause, database)
  if (refusal === undefined) return undefined
  return new ExitError(exitCodes.failure, `${refusal} (${explainError(cause)})`, { cause: error })
}

/** The refusal for a server without TLS, which node-postgres reports without a code. */
function plaintextRefusal(error: unknown, { variable }: NamedDatabase): string | undefined {
  const text = 'The server does not support SSL connections'
  return explainError(error).includes(text)
    ? `${variable} requires TLS, but the database does not support it`
    : undefined
}
