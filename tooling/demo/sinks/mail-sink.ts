import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { SMTPServer } from 'smtp-server'

export interface MailSink {
  readonly url: string
  /** The number of received messages by Message-ID. */
  readonly messages: ReadonlyMap<string, number>
  readonly deferred: () => number
  close(): Promise<void>
}

/** Every fifth recipient is deferred. */
const deferEvery = 5

/** Starts a mail server that counts the messages that it receives, and defers a recipient now and then. */
export async function startMailSink(): Promise<MailSink> {
  const messages = new Map<string, number>()
  let recipients = 0
  let deferred = 0
  const server = new SMTPServer({
    authOptional: true,
    disableReverseLookup: true,
    hideSTARTTLS: true,
    logger: false,
    closeTimeout: 1,
    onRcptTo: (_address, _session, callback) => {
      recipients += 1
      if (recipients % deferEvery !== 0) return callback()
      deferred += 1
      callback(Object.assign(new Error('Busy: try again later'), { responseCode: 450 }))
    },
    onData: (stream, _session, callback) => {
      let text = ''
      stream.on('data', (chunk) => (text += String(chunk)))
      stream.on('end', () => {
        const id = /^Message-ID: (<.*>)/im.exec(text)?.[1] ?? ''
        messages.set(id, (messages.get(id) ?? 0) + 1)
        callback()
      })
    },
  })
  server.on('error', () => undefined)
  const listener = server.listen(0, '127.0.0.1')
  await once(listener, 'listening')
  return {
    url: `smtp://127.0.0.1:${(listener.address() as AddressInfo).port}`,
    messages,
    deferred: () => deferred,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  }
}
