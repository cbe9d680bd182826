import { QueueError } from '@queue/core'
import { errorCodeOf, explainError } from './explain-error.ts'
import { ExitError, exitCodes } from './exit-code.ts'

const untrusted =
  "the database's certificate is not trusted: DATABASE_URL must name the authority that signed it, in sslrootcert"

/** What PostgreSQL (by SQLSTATE) or TLS says when waiting will not help, in the operator's words. */
const refusals: Readonly<Record<string, string>> = {
  '28P01': 'the database refused the user or the password in DATABASE_URL',
  '28000': 'the database refused the user in DATABASE_URL',
  '3D000': 'the database named in DATABASE_URL does not exist',
  '42501':
    "the user in DATABASE_URL lacks a privilege on the queue's schema (migrate doctor says which, migrate roles grants it)",
  DEPTH_ZERO_SELF_SIGNED_CERT: untrusted,
  SELF_SIGNED_CERT_IN_CHAIN: untrusted,
  UNABLE_TO_GET_ISSUER_CERT: untrusted,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: untrusted,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: untrusted,
  CERT_SIGNATURE_FAILURE: untrusted,
  CERT_HAS_EXPIRED: "the database's certificate has expired",
  CERT_NOT_YET_VALID: "the database's certificate does not hold yet",
  ERR_TLS_CERT_ALTNAME_INVALID:
    "the database's certificate is for another name than the host in DATABASE_URL",
}

/**
 * Why waiting for the database will not help, as the one line that ends the process: PostgreSQL refuses what
 * DATABASE_URL asks for, or shows a certificate that it does not allow. Undefined for every other error.
 */
export function refusalOf(error: unknown): ExitError | undefined {
  // To one who is at work already, a wrong certificate is an outage; the reason is inside.
  const cause = error instanceof QueueError ? error.cause : error
  const refusal = refusals[errorCodeOf(cause) ?? ''] ?? plaintextRefusal(cause)
  if (refusal === undefined) return undefined
  return new ExitError(exitCodes.failure, `${refusal} (${explainError(cause)})`, { cause: error })
}

/** node-postgres gives this one no code. */
function plaintextRefusal(error: unknown): string | undefined {
  const text = 'The server does not support SSL connections'
  return explainError(error).includes(text)
    ? 'DATABASE_URL asks for TLS, and the database has none'
    : undefined
}
