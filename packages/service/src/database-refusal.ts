import { QueueError } from '@queue/core'
import { errorCodeOf, explainError } from './explain-error.ts'
import { ExitError, exitCodes } from './exit-code.ts'

/** What an operator calls a database, and how its privileges are granted. */
export interface NamedDatabase {
  /** The variable that names it. */
  readonly variable: string
  /** Whose schema it is, and what grants a privilege on it. */
  readonly schema: string
}

const queueDatabase: NamedDatabase = {
  variable: 'DATABASE_URL',
  schema: "the queue's schema (migrate doctor says which, migrate roles grants it)",
}

/** That of an outbox, which is the queue's own where it has no URL. */
export function outboxDatabase(config: { readonly OUTBOX_DATABASE_URL?: string | undefined }): NamedDatabase {
  return {
    variable: config.OUTBOX_DATABASE_URL === undefined ? 'DATABASE_URL' : 'OUTBOX_DATABASE_URL',
    schema: "the outbox's schema (migrate outbox roles grants it)",
  }
}

type Refusal = (database: NamedDatabase) => string

const untrusted: Refusal = ({ variable }) =>
  `the database's certificate is not trusted: ${variable} must name the authority that signed it, in sslrootcert`

/** What PostgreSQL (by SQLSTATE) or TLS says when waiting will not help, in the operator's words. */
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
  CERT_NOT_YET_VALID: () => "the database's certificate does not hold yet",
  ERR_TLS_CERT_ALTNAME_INVALID: ({ variable }) =>
    `the database's certificate is for another name than the host in ${variable}`,
}

/**
 * Why waiting for the database will not help, as the one line that ends the process: PostgreSQL refuses what
 * its URL asks for, or shows a certificate that it does not allow. Undefined for every other error.
 */
export function refusalOf(error: unknown, database: NamedDatabase = queueDatabase): ExitError | undefined {
  // Which step of a migration has failed is more than its cause.
  if (error instanceof QueueError && error.code === 'migration_failed') return undefined
  // To one who is at work already, a wrong certificate is an outage; the reason is inside.
  const cause = error instanceof QueueError ? error.cause : error
  const refusal = refusals[errorCodeOf(cause) ?? '']?.(database) ?? plaintextRefusal(cause, database)
  if (refusal === undefined) return undefined
  return new ExitError(exitCodes.failure, `${refusal} (${explainError(cause)})`, { cause: error })
}

/** node-postgres gives this one no code. */
function plaintextRefusal(error: unknown, { variable }: NamedDatabase): string | undefined {
  const text = 'The server does not support SSL connections'
  return explainError(error).includes(text)
    ? `${variable} asks for TLS, and the database has none`
    : undefined
}
