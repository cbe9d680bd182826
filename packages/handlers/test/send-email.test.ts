import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, describe, expect, test } from '@jest/globals'
import type { Handler } from '@queue/executor'
import type { SMTPServerOptions } from 'smtp-server'
import { attempt, cancelledAt, permanent, retried, plainOutcome } from './support/attempt.ts'
import { createCertificate } from './support/certificate.ts'
import { type MailSink, reply, startMailSink } from './support/mail-sink.ts'
import { closeHandlers, openHandler } from './support/open-handler.ts'

const from = 'queue@example.com'
const mail = { to: 'ada@example.org', subject: 'Naïve ✓', body: 'Hello,\n.\nthis is — it.\n' }
const sinks: MailSink[] = []

afterEach(async () => {
  await closeHandlers()
  await Promise.all(sinks.splice(0).map((sink) => sink.close()))
})

async function start(options: SMTPServerOptions = {}): Promise<MailSink> {
  const sink = await startMailSink(options)
  sinks.push(sink)
  return sink
}

const open = ({ port }: { readonly port: number }, settings: object = {}): Promise<Handler> =>
  openHandler('send_email', { email: { smtpUrl: `smtp://127.0.0.1:${port}`, from, tls: 'off', ...settings } })

describe('a message', () => {
  test('is sent to its recipient, each time under the Message-ID of its job', async () => {
    const recipients: string[] = []
    const sink = await start({
      onRcptTo: ({ address }, _, callback) => {
        recipients.push(address)
        callback()
      },
    })
    const [handler, id] = [await open(sink), randomUUID()]
    for (const _ of [1, 2])
      expect(await attempt(handler, mail, { id })).toMatchObject({
        kind: 'succeeded',
        result: { message_id: `<${id}@example.com>`, response: expect.stringMatching(/^250 /) },
      })
    for (const message of sink.messages) {
      expect(message).toContain(`Message-ID: <${id}@example.com>`)
      expect(message).toContain(`From: ${from}`)
      expect(message).toContain('Subject: =?UTF-8?')
      expect(message).toMatch(/\r\n\.\.?\r\n|=\r\n|=E2=80=94/)
    }
    expect(recipients).toEqual([mail.to, mail.to])
    // Both messages used one connection.
    expect([sink.messages.length, sink.sessions()]).toEqual([2, 1])
  })

  test.each<[string, SMTPServerOptions, unknown]>([
    [
      'defers the recipient',
      { onRcptTo: (_, _s, done) => done(reply(450)) },
      retried(expect.stringContaining('450')),
    ],
    ['defers the content', { onData: drained(reply(452)) }, retried(expect.stringContaining('452'))],
    [
      'refuses the sender',
      { onMailFrom: (_, _s, done) => done(reply(553)) },
      permanent(expect.stringContaining('553')),
    ],
    [
      'refuses the recipient',
      { onRcptTo: (_, _s, done) => done(reply(550)) },
      permanent(expect.stringContaining('550')),
    ],
    ['refuses the content', { onData: drained(reply(554)) }, permanent(expect.stringContaining('554'))],
    ['refuses every connection', { onConnect: (_, done) => done(reply(554)) }, retried(expect.any(String))],
    [
      'wants credentials that it does not get',
      { authOptional: false },
      retried(expect.stringContaining('530')),
    ],
  ])('to a server that %s', async (_, options, outcome) => {
    expect(plainOutcome(await attempt(await open(await start(options)), mail))).toEqual(outcome)
  })

  test('to a server that accepts the credentials, and to one that refuses them, which is retried', async () => {
    const sink = await start({
      allowInsecureAuth: true,
      onAuth: ({ username, password }, _, callback) =>
        username === 'us er' && password === 'p@ss'
          ? callback(null, { user: username })
          : callback(reply(535)),
    })
    const as = (user: string) => open(sink, { smtpUrl: `smtp://${user}@127.0.0.1:${sink.port}` })
    expect(await attempt(await as('us%20er:p%40ss'), mail)).toMatchObject({ kind: 'succeeded' })
    const refused = plainOutcome(await attempt(await as('us%20er:wrong'), mail))
    expect(refused).toEqual(retried(expect.stringContaining('535')))
    expect(JSON.stringify(refused)).not.toContain('wrong')
  })
})

describe('a server that does not answer', () => {
  test.each(['at the greeting', 'after the content'])('%s', async (when) => {
    const sockets = new Set<Socket>()
    const silent = createServer((socket) => void sockets.add(socket.on('error', () => undefined))).listen(
      0,
      '127.0.0.1',
    )
    await once(silent, 'listening')
    const server =
      when === 'at the greeting'
        ? { port: (silent.address() as AddressInfo).port }
        : await start({ onData: (stream) => void stream.resume() })
    const late = retried(expect.stringMatching(/took longer than 300 ms|timeout/i))
    expect(plainOutcome(await attempt(await open(server, { timeoutMs: 300 }), mail))).toEqual(late)
    expect(await attempt(await open(server), mail, cancelledAt('send'))).toMatchObject({ kind: 'cancelled' })
    for (const socket of sockets) socket.destroy()
    silent.close()
  })

  test('because nothing listens there', async () => {
    const sink = await startMailSink()
    await sink.close()
    expect(plainOutcome(await attempt(await open(sink), mail))).toEqual(
      retried(expect.stringContaining('ECONNREFUSED')),
    )
  })
})

describe('encryption', () => {
  test.each(['smtp', 'smtps'])(
    'over %s:// is not sent to a server with an unknown authority',
    async (scheme) => {
      const { certificate: cert, key } = await createCertificate()
      const directory = await mkdtemp(path.join(tmpdir(), 'queue-mail-'))
      const caFile = path.join(directory, 'ca.pem')
      await writeFile(caFile, cert)
      const sink = await start({ cert, key, hideSTARTTLS: false, secure: scheme === 'smtps' })
      const smtpUrl = `${scheme}://localhost:${sink.port}`
      const unknown = await open(sink, { smtpUrl, tls: 'required' })
      expect(plainOutcome(await attempt(unknown, mail))).toEqual(
        retried(expect.stringContaining('self-signed certificate')),
      )
      expect(sink.messages).toEqual([])
      const known = await open(sink, { smtpUrl, tls: 'required', caFile })
      expect(await attempt(known, mail)).toMatchObject({ kind: 'succeeded' })
      const otherName = await open(sink, {
        smtpUrl: `${scheme}://127.0.0.1:${sink.port}`,
        tls: 'required',
        caFile,
      })
      expect(plainOutcome(await attempt(otherName, mail))).toMatchObject({ kind: 'failed', permanent: false })
      expect(sink.messages).toHaveLength(1)
      await rm(directory, { recursive: true })
    },
  )

  test('is required of a server that does not offer it', async () => {
    const sink = await start()
    expect(plainOutcome(await attempt(await open(sink, { tls: 'required' }), mail))).toMatchObject({
      kind: 'failed',
      permanent: false,
    })
    expect(sink.messages).toEqual([])
  })
})

/** Accepts the content, and then rejects the message. */
function drained(error: Error): NonNullable<SMTPServerOptions['onData']> {
  return (stream, _, callback) => void stream.resume().on('end', () => callback(error))
}
