import { readFile } from 'node:fs/promises'
import { PermanentFailure } from '@queue/executor'
import { type Transporter, createTransport } from 'nodemailer'
import type { EmailSettings } from '../settings.ts'

/** A pool of connections to the mail server. Rejects if the file of the certificate authority cannot be read. */
export async function createMailTransport(smtpUrl: string, settings: EmailSettings): Promise<Transporter> {
  const { tls, caFile, connections, timeoutMs } = settings
  const url = new URL(smtpUrl)
  const isSecure = url.protocol === 'smtps:'
  const ca = caFile === undefined ? {} : { ca: await readFile(caFile, 'utf8') }
  return createTransport({
    pool: true,
    maxConnections: connections,
    // The queue does the retries, and charges an attempt for each.
    maxRequeues: 0,
    host: url.hostname.replace(/^\[(.*)\]$/, '$1'),
    port: url.port === '' ? (isSecure ? 465 : 587) : Number(url.port),
    secure: isSecure,
    requireTLS: tls === 'required' && !isSecure,
    ignoreTLS: tls === 'off',
    tls: { minVersion: 'TLSv1.2', ...ca },
    ...(url.username === ''
      ? {}
      : { auth: { user: decodeURIComponent(url.username), pass: decodeURIComponent(url.password) } }),
    connectionTimeout: timeoutMs,
    greetingTimeout: timeoutMs,
    socketTimeout: timeoutMs,
    // Our messages are plain text; no part of them may make nodemailer read a file or a URL.
    disableFileAccess: true,
    disableUrlAccess: true,
  })
}

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
