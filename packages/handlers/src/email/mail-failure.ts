import { PermanentFailure } from '@queue/executor'

/** The members that nodemailer adds to its errors. */
interface MailError {
  readonly code?: string
  readonly responseCode?: number
}

/** Replies about missing or wrong credentials. They are a fault of our configuration, not of the message. */
const authenticationCodes: ReadonlySet<number> = new Set([530, 534, 535, 538])

/**
 * The error with which the attempt fails. A 5xx reply to the message itself (its sender, recipient or content) is permanent: the
 * server would repeat it. A reply to the greeting, encryption or credentials concerns the connection and is retried, as are 4xx
 * replies and errors without a reply. An abort is returned unchanged.
 */
export function mailFailure(error: unknown): unknown {
  if (!(error instanceof Error)) return error
  const { code, responseCode = 0 } = error as MailError
  const isOfMessage = code === 'EENVELOPE' || code === 'EMESSAGE'
  // 503 means a bad sequence of commands, which is a fault of the session.
  const isPermanent =
    responseCode >= 500 && responseCode !== 503 && isOfMessage && !authenticationCodes.has(responseCode)
  return isPermanent ? new PermanentFailure(error.message, { cause: error }) : error
}
