import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'

export interface MailSink {
  readonly port: number
  /** The messages that it has accepted, as they were sent. */
  readonly messages: readonly string[]
  /** The number of sessions so far. */
  readonly sessions: () => number
  close(): Promise<void>
}

/** An error that the server replies with. */
export function reply(responseCode: number, message = 'as the test wants it'): Error {
  return Object.assign(new Error(message), { responseCode })
}

/** Starts a mail server, by default without encryption and credentials. */
export async function startMailSink(options: SMTPServerOptions = {}): Promise<MailSink> {
  const messages: string[] = []
  let sessions = 0
  const server = new SMTPServer({
    authOptional: true,
    disableReverseLookup: true,
    hideSTARTTLS: true,
    logger: false,
    closeTimeout: 1,
    onConnect: (_, callback) => {
      sessions += 1
      callback()
    },
    onData: (stream, _, callback) => {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', () => {
        messages.push(Buffer.concat(chunks).toString())
        callback()
      })
    },
    ...options,
  })
  server.on('error', () => undefined)
  const listener = server.listen(0, '127.0.0.1')
  await once(listener, 'listening')
  return {
    port: (listener.address() as AddressInfo).port,
    messages,
    sessions: () => sessions,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  }
}
