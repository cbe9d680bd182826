import { PermanentFailure } from '@queue/executor'

/** What nodemailer adds to its errors. */
interface MailError {
  readonly code?: string
  readonly responseCode?: number
}

/** The server does not know us, or not yet. That is ours to change, and no fault of the message. */
const authenticationCodes: ReadonlySet<number> = new Set([530, 534, 535, 538])

/**
 * What the attempt fails with. A reply of 5xx to the message itself (its sender, recipient or content) is permanent: the server
 * would give it again. A reply to greeting, encryption or credentials is about the connection, and retried, like 4xx and
 * everything without a reply. An abort stays what it is.
 */
export function mailFailure(error: unknown): unknown {
  if (!(error instanceof Error)) return error
  const { code, responseCode = 0 } = error as MailError
  const isOfMessage = code === 'EENVELOPE' || code === 'EMESSAGE'
  // 503 says that the session was in a wrong state.
  const isPermanent =
    responseCode >= 500 && responseCode !== 503 && isOfMessage && !authenticationCodes.has(responseCode)
  return isPermanent ? new PermanentFailure(error.message, { cause: error }) : error
}
