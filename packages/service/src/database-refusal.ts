import { errorCodeOf, explainError } from './explain-error.ts'
import { ExitError, exitCodes } from './exit-code.ts'

/** What PostgreSQL says (SQLSTATE) when waiting will not help, in the operator's words. */
const refusals: Readonly<Record<string, string>> = {
  '28P01': 'the database refused the user or the password in DATABASE_URL',
  '28000': 'the database refused the user in DATABASE_URL',
  '3D000': 'the database named in DATABASE_URL does not exist',
  '42501': "the user in DATABASE_URL lacks a privilege on the queue's schema",
}

/**
 * The error as one clear line if it is PostgreSQL refusing what DATABASE_URL asks for; the error itself
 * otherwise.
 */
export function explainRefusal(error: unknown): unknown {
  const refusal = refusals[errorCodeOf(error) ?? '']
  if (refusal === undefined) return error
  return new ExitError(exitCodes.failure, `${refusal} (${explainError(error)})`, { cause: error })
}
