import { readFile } from 'node:fs/promises'
import { createTransport, type Transporter } from 'nodemailer'
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
