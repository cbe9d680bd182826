import { readFile } from 'node:fs/promises'
import { createTransport, type Transporter } from 'nodemailer'
import type { EmailSettings } from '../settings.ts'

/** A pool of connections to the mail server. Rejects when the certificate authority cannot be read. */
export async function createMailTransport(smtpUrl: string, settings: EmailSettings): Promise<Transporter> {
  const { tls, caFile, connections, timeoutMs } = settings
  const url = new URL(smtpUrl)
  const isSecure = url.protocol === 'smtps:'
  const ca = caFile === undefined ? {} : { ca: await readFile(caFile, 'utf8') }
  return createTransport({
    pool: true,
    maxConnections: connections,
    // The queue retries, and charges an attempt for it.
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
    // A message of ours is text; nothing in it may name a file or a URL to be read.
    disableFileAccess: true,
    disableUrlAccess: true,
  })
}
