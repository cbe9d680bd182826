import { types } from 'node:util'
import { QueueError } from './errors.ts'

/** The SQLSTATEs that this package handles, by their names in the PostgreSQL manual, appendix A. */
export const sqlState = {
  lockNotAvailable: '55P03',
  deadlockDetected: '40P01',
  serializationFailure: '40001',
  undefinedTable: '42P01',
  undefinedColumn: '42703',
  undefinedObject: '42704',
  invalidSchemaName: '3F000',
  uniqueViolation: '23505',
  duplicateTable: '42P07',
  duplicateDatabase: '42P04',
  insufficientPrivilege: '42501',
  queryCanceled: '57014',
  noActiveTransaction: '25P01',
  readOnlyTransaction: '25006',
  invalidStatementName: '26000',
  internalError: 'XX000',
} as const

/** The SQLSTATE that PostgreSQL reported; undefined if the error does not come from PostgreSQL. */
export function sqlStateOf(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined
  const { code } = error
  return typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code) && 'severity' in error ? code : undefined
}

/** Whether the data of one row is invalid (classes 22, 23 and 54), so that the other rows can be written without it. */
export function isDataError(error: unknown): boolean {
  const state = sqlStateOf(error)
  return state !== undefined && /^(22|23|54)/.test(state)
}

/**
 * Whether a row was refused: its data is invalid, or a check or trigger that was added to the table refuses it (classes 09, 27,
 * 44 and P0).
 */
export function isRefusal(error: unknown): boolean {
  return isDataError(error) || /^(09|27|44|P0)/.test(sqlStateOf(error) ?? '')
}

/**
 * Converts the refusal of a requested change, by a check or trigger of the database's owner, into `refused`. Other errors are
 * returned unchanged.
 */
export function toRefused(error: unknown): unknown {
  if (!isRefusal(error)) return error
  const message = `the database refuses this change (SQLSTATE ${sqlStateOf(error)})`
  return new QueueError('refused', message, { cause: error })
}

/** Whether the statement conflicted with another transaction, and may succeed if sent again. */
export function isContention(error: unknown): boolean {
  const state = sqlStateOf(error)
  return (
    state === sqlState.lockNotAvailable ||
    state === sqlState.deadlockDetected ||
    state === sqlState.serializationFailure ||
    isCatalogConflict(error)
  )
}

/**
 * Whether the statement met another one on a row of PostgreSQL's own tables. That has only the state of internal errors, and a
 * message that is not translated. Such is the DROP of an index whose builder has let go of its table, and commits meanwhile.
 */
function isCatalogConflict(error: unknown): boolean {
  return (
    sqlStateOf(error) === sqlState.internalError &&
    error instanceof Error &&
    /^tuple concurrently (updated|deleted)$/.test(error.message)
  )
}

/**
 * Further states that count as an outage: idle_in_transaction_session_timeout; read_only_sql_transaction, when after a failover
 * the connection leads to a standby; invalid_catalog_name, when a database is being restored and does not exist yet.
 */
const outageStates = new Set(['25P03', '25P04', '25006', '3D000'])

/**
 * Whether the database could not be reached, went down, lacked resources, or refused the user (for example while its password is
 * being changed): classes 08, 28, 53, 57 and 58, a broken socket, a certificate that is not trusted, no answer in time, or a
 * server that has become a read-only standby. Whether the statement took effect is then unknown.
 */
export function isUnavailable(error: unknown): boolean {
  const state = sqlStateOf(error)
  if (state !== undefined) return /^(08|28|53|57|58)/.test(state) || outageStates.has(state)
  return (
    isError(error) &&
    (hasConnectionCode(error) || socketMessages.some((part) => error.message.includes(part)))
  )
}

const socketCodes = [
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ENOENT',
]

/**
 * Node's codes for a certificate that it does not trust with this connection string. Nothing was sent then, so this counts as an
 * outage.
 */
const certificateCodes = [
  'CERT_HAS_EXPIRED',
  'CERT_NOT_YET_VALID',
  'CERT_SIGNATURE_FAILURE',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'ERR_TLS_CERT_ALTNAME_INVALID',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
]

const connectionCodes = new Set([...socketCodes, ...certificateCodes])

/** The message of a `StatementTimeout`, which is also that of node-postgres. */
const queryTimeoutMessage = 'Query read timeout'

/** node-postgres reports these as plain errors without a code. */
const socketMessages = [
  'The server does not support SSL connections',
  'Connection terminated',
  queryTimeoutMessage,
  'timeout exceeded when trying to connect',
  'timeout expired',
  'Client has encountered a connection error',
  'Client was closed',
  'Connection ended',
]

function hasConnectionCode(error: Error): boolean {
  if ('code' in error && typeof error.code === 'string' && connectionCodes.has(error.code)) return true
  // Node tries every address of a name, and reports their errors inside an AggregateError.
  const innerErrors = 'errors' in error && Array.isArray(error.errors) ? error.errors : []
  return innerErrors.some((inner) => isError(inner) && hasConnectionCode(inner))
}

/** If the caller runs in a vm context, as tests do, Node's own errors come from another realm. */
function isError(error: unknown): error is Error {
  return types.isNativeError(error) || error instanceof Error
}

/** The states of a statement that names an object which the schema lacks; 42704 is a missing type. */
const schemaStates: ReadonlySet<string> = new Set([
  sqlState.undefinedTable,
  sqlState.undefinedColumn,
  sqlState.undefinedObject,
  sqlState.invalidSchemaName,
])

/**
 * Converts `error` for callers: an outage becomes `database_unavailable`, and a missing table, column or type becomes
 * `schema_mismatch`. Other errors are returned unchanged.
 */
export function toQueueError(error: unknown): unknown {
  const state = sqlStateOf(error)
  if (state !== undefined && schemaStates.has(state)) {
    return new QueueError(
      'schema_mismatch',
      'the queue schema is missing or older than this code: run queue-migrate up',
      {
        cause: error,
      },
    )
  }
  if (isUnavailable(error)) {
    return new QueueError('database_unavailable', describeOutage(error), { cause: error })
  }
  return error
}

/** What is wrong, and what to look at. Without the text of the cause, which may name hosts and users. */
function describeOutage(error: unknown): string {
  if (tookTooLong(error)) return 'the database did not answer a statement in time'
  if (sqlStateOf(error) === sqlState.readOnlyTransaction) {
    return 'the database takes no writes: it is a standby, or its transactions are READ ONLY by default'
  }
  const reason = reasons.find(({ fits }) => fits(error))?.reason
  return `the database cannot be reached${reason === undefined ? '' : `: ${reason}`}`
}

const hasState = (pattern: RegExp) => (error: unknown) => pattern.test(sqlStateOf(error) ?? '')
const hasCode = (code: string) => (error: unknown) => isError(error) && codesOf(error).includes(code)

const reasons: readonly { readonly fits: (error: unknown) => boolean; readonly reason: string }[] = [
  { fits: hasState(/^28/), reason: 'it refuses the user; check the name, the password and pg_hba.conf' },
  { fits: hasState(/^3D000$/), reason: 'there is no database of this name; check the connection string' },
  { fits: hasState(/^53300$/), reason: 'it has no connection left; lower poolMax, or raise max_connections' },
  {
    fits: hasCode('ECONNREFUSED'),
    reason: 'nothing listens at this host and port; check both, and the server',
  },
  { fits: hasCode('ENOTFOUND'), reason: 'the name of its host has no address; check the connection string' },
  { fits: hasNoTls, reason: 'it does not speak TLS; check sslmode in the connection string' },
  {
    fits: (error) => certificateCodes.some((code) => hasCode(code)(error)),
    reason: 'its certificate is not trusted; check sslmode and sslrootcert in the connection string',
  },
]

/** node-postgres has no code for the answer of a server without TLS. */
function hasNoTls(error: unknown): boolean {
  return isError(error) && error.message === 'The server does not support SSL connections'
}

/** The code of an error, and of those of each address of a name. */
function codesOf(error: Error): unknown[] {
  const inner = 'errors' in error && Array.isArray(error.errors) ? error.errors.filter(isError) : []
  return [...('code' in error ? [error.code] : []), ...inner.flatMap(codesOf)]
}

/** Whether a statement was given up by its time limit, here or in the server, or cancelled by an administrator. */
function tookTooLong(error: unknown): boolean {
  return (
    sqlStateOf(error) === sqlState.queryCanceled || (isError(error) && error.message === queryTimeoutMessage)
  )
}

/** Throws `toQueueError(error)`. */
export function rethrow(error: unknown): never {
  throw toQueueError(error)
}
