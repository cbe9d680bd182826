import { randomBytes, randomUUID } from 'node:crypto'
import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import { createServer, type Socket } from 'node:net'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import type { Handler } from '@queue/executor'
import { Webhook } from 'standardwebhooks'
import { attempt, cancelledAt, permanent, retried, plainOutcome } from './support/attempt.ts'
import { type HttpSink, type ReceivedRequest, startHttpSink, status } from './support/http-sink.ts'
import { closeHandlers, openHandler } from './support/open-handler.ts'

let receiver: HttpSink
let otherReceiver: HttpSink
let directory: string
let secretsFile: string

beforeAll(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'queue-webhooks-'))
  secretsFile = path.join(directory, 'secrets.json')
})

beforeEach(async () => {
  receiver = await startHttpSink()
  otherReceiver = await startHttpSink()
})

afterEach(async () => {
  await closeHandlers()
  await Promise.all([receiver.close(), otherReceiver.close()])
})

afterAll(() => rm(directory, { recursive: true }))

const newSecret = (): string => `whsec_${randomBytes(32).toString('base64')}`

/** Replaces the file atomically, as Kubernetes does. */
async function writeSecrets(entries: unknown): Promise<void> {
  await writeFile(`${secretsFile}.new`, typeof entries === 'string' ? entries : JSON.stringify(entries))
  await rename(`${secretsFile}.new`, secretsFile)
}

const open = (webhooks: object = {}): Promise<Handler> =>
  openHandler('webhook_delivery', {
    webhooks,
    outgoing: { allow: [receiver, otherReceiver].map(({ port }) => `127.0.0.1:${port}`) },
  })

/** Throws unless the secret has signed the request, by the reference implementation. */
function verify(secret: string, { body, headers }: ReceivedRequest): unknown {
  return new Webhook(secret).verify(body.toString(), headers as Record<string, string>)
}

describe('a delivery', () => {
  test('sends the body with the id of its job, and the headers of the payload', async () => {
    const handler = await open()
    const [id, traceparent] = [randomUUID(), '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01']
    const payload = {
      url: `${receiver.url}/hooks?a=1`,
      method: 'PUT',
      headers: { Accept: '*/*', 'Content-Type': 'application/vnd.orders+json' },
      body: { order: 7, note: 'naïve ✓' },
    }
    expect(await attempt(handler, payload, { id, traceparent })).toMatchObject({
      kind: 'succeeded',
      result: { status: 200 },
    })
    const [request] = receiver.requests
    expect(request).toMatchObject({ method: 'PUT', path: '/hooks?a=1' })
    expect(JSON.parse(String(request?.body))).toEqual(payload.body)
    expect(request?.headers).toMatchObject({
      accept: '*/*',
      'content-type': 'application/vnd.orders+json',
      'webhook-id': id,
      'webhook-timestamp': expect.stringMatching(/^\d{10}$/),
      traceparent,
      host: `127.0.0.1:${receiver.port}`,
    })
    expect(request?.headers['webhook-signature']).toBeUndefined()
  })

  test.each<[number, Readonly<Record<string, string>>, unknown]>([
    [200, {}, { kind: 'succeeded', result: { status: 200 } }],
    [202, {}, { kind: 'succeeded', result: { status: 202 } }],
    [204, {}, { kind: 'succeeded', result: { status: 204 } }],
    [301, { location: '/' }, retried('the receiver answered 301: redirects are not followed')],
    [
      307,
      { location: 'http://127.0.0.1/' },
      retried('the receiver answered 307: redirects are not followed'),
    ],
    [400, {}, retried('the receiver answered 400')],
    [404, { 'retry-after': '5' }, retried('the receiver answered 404')],
    [410, {}, permanent('the receiver answered 410: it is gone')],
    [429, {}, retried('the receiver answered 429')],
    [429, { 'retry-after': '7' }, { ...retried('the receiver answered 429'), retryAfterMs: 7_000 }],
    [500, { 'retry-after': '7' }, retried('the receiver answered 500')],
    [503, { 'retry-after': '0' }, { ...retried('the receiver answered 503'), retryAfterMs: 0 }],
    [503, { 'retry-after': 'soon' }, retried('the receiver answered 503')],
  ])('answered by %i %j', async (code, headers, outcome) => {
    receiver.answer(status(code, headers))
    expect(plainOutcome(await attempt(await open(), { url: receiver.url }))).toMatchObject(outcome as object)
    expect(receiver.requests).toHaveLength(1)
  })

  test('depends only on the status, even if the response is endless, truncated, or too long', async () => {
    const handler = await open({ timeoutMs: 2_000 })
    let sent = 0
    receiver.answer((response) => {
      response.writeHead(200)
      const fill = (): void => {
        while (!response.destroyed && response.write(Buffer.alloc(16_384))) sent += 16_384
        response.once('drain', fill)
      }
      fill()
    })
    expect(await attempt(handler, { url: receiver.url })).toMatchObject({ kind: 'succeeded' })
    // The buffers of both ends are added to the 64 KiB that are read.
    expect(sent).toBeLessThan(16 * 1_048_576)
    receiver.answer(
      (response) =>
        void response.writeHead(200, { 'content-length': '100' }).write('half', () => response.destroy()),
    )
    expect(await attempt(handler, { url: receiver.url })).toMatchObject({ kind: 'succeeded' })
    receiver.answer((response) => void response.writeHead(200).write('and then nothing'))
    expect(await attempt(handler, { url: receiver.url })).toMatchObject({ kind: 'succeeded' })
  })

  test('fails if the response is late, missing, or not HTTP', async () => {
    const handler = await open({ timeoutMs: 200 })
    receiver.answer(() => undefined)
    expect(plainOutcome(await attempt(handler, { url: receiver.url }))).toEqual(
      retried('the delivery took longer than 200 ms'),
    )
    receiver.answer((response) => void response.destroy())
    expect(plainOutcome(await attempt(handler, { url: receiver.url }))).toMatchObject({
      kind: 'failed',
      permanent: false,
    })
    const sockets = new Set<Socket>()
    const garbage = createServer((socket) => {
      sockets.add(socket)
      socket.on('error', () => undefined).end('SSH-2.0-nonsense\r\n')
    }).listen(0, '127.0.0.1')
    await once(garbage, 'listening')
    const { port } = garbage.address() as { readonly port: number }
    const strange = await openHandler('webhook_delivery', { outgoing: { allow: [`127.0.0.1:${port}`] } })
    expect(plainOutcome(await attempt(strange, { url: `http://127.0.0.1:${port}/` }))).toMatchObject({
      kind: 'failed',
      permanent: false,
    })
    for (const socket of sockets) socket.destroy()
    garbage.close()
    const closed = await openHandler('webhook_delivery', { outgoing: { allow: [`127.0.0.1:${port}`] } })
    expect(plainOutcome(await attempt(closed, { url: `http://127.0.0.1:${port}/` }))).toMatchObject({
      kind: 'failed',
      permanent: false,
    })
  })

  test('ends at once when the job is cancelled while it waits for the receiver', async () => {
    receiver.answer(() => undefined)
    expect(await attempt(await open(), { url: receiver.url }, cancelledAt('deliver'))).toMatchObject({
      kind: 'cancelled',
    })
  })

  test.each([
    'webhook-id',
    'Webhook-Signature',
    'webhook-timestamp',
    'webhook-anything',
    'Host',
    'Content-Length',
    'transfer-encoding',
    'Connection',
    'Expect',
    'Upgrade',
    'TE',
    'Trailer',
    'Keep-Alive',
    'Proxy-Authorization',
  ])('refuses a payload that sets %s', async (name) => {
    const outcome = await attempt(await open(), { url: receiver.url, headers: { [name]: '1' } })
    expect(plainOutcome(outcome)).toEqual(permanent(`the header "${name}" must not be set by a payload`))
    expect(receiver.connections()).toBe(0)
  })

  test('refuses headers that are invalid, repeated, or too many', async () => {
    const handler = await open()
    const refused = [
      { 'x-a': 'sn\u2603w' },
      { 'x-a': 'a\u0000b' },
      { 'X-A': '1', 'x-a': '2' },
      { 'x-a': 'a'.repeat(9_000) },
    ]
    for (const headers of refused)
      expect(plainOutcome(await attempt(handler, { url: receiver.url, headers }))).toMatchObject({
        permanent: true,
      })
    expect(receiver.connections()).toBe(0)
  })

  test('fails permanently for an address that is not public', async () => {
    const handler = await openHandler('webhook_delivery', { outgoing: { ports: [receiver.port] } })
    expect(plainOutcome(await attempt(handler, { url: receiver.url }))).toMatchObject({ permanent: true })
    expect(receiver.connections()).toBe(0)
  })
})

describe('a signed delivery', () => {
  test('is accepted by the reference implementation, for every kind of body', async () => {
    const secret = newSecret()
    await writeSecrets({ orders: { origin: receiver.url, secrets: [secret] } })
    const handler = await open({ secretsFile })
    const bodies = [{ order: 7, note: 'naïve ✓' }, [], 'text', 0, false, null]
    for (const body of bodies)
      expect(await attempt(handler, { url: receiver.url, secret_name: 'orders', body })).toMatchObject({
        kind: 'succeeded',
      })
    const received = receiver.requests.map((request) => verify(secret, request))
    expect(received).toEqual(bodies)
    expect(() => verify(newSecret(), receiver.requests[0] as ReceivedRequest)).toThrow()
  })

  test('cannot be passed on to another receiver, nor be had for another by its URL', async () => {
    const [ours, theirs] = [newSecret(), newSecret()]
    await writeSecrets({
      ours: { origin: receiver.url, secrets: [ours] },
      theirs: { origin: otherReceiver.url, secrets: [theirs] },
    })
    const handler = await open({ secretsFile })
    await attempt(handler, { url: receiver.url, secret_name: 'ours', body: 1 })
    expect(() => verify(theirs, receiver.requests[0] as ReceivedRequest)).toThrow()
    // A job that tries to send the signature for another receiver to this one.
    const outcome = await attempt(handler, { url: receiver.url, secret_name: 'theirs', body: 1 })
    expect(plainOutcome(outcome)).toEqual(
      permanent(`the secrets of "theirs" sign messages to ${otherReceiver.url} only`),
    )
    expect([receiver.requests.length, otherReceiver.connections()]).toEqual([1, 0])
  })

  test('is available only to the tenants of its entry, and others cannot detect the entry', async () => {
    const origin = receiver.url
    await writeSecrets({
      acme: { origin, secrets: [newSecret()], tenants: ['acme'] },
      nobodys: { origin, secrets: [newSecret()] },
    })
    const handler = await open({ secretsFile })
    const deliver = (name: string, tenantId?: string, url = origin) =>
      attempt(handler, { url, secret_name: name, body: 1 }, { ...(tenantId !== undefined && { tenantId }) })
    expect(await deliver('acme', 'acme')).toMatchObject({ kind: 'succeeded' })
    expect(await deliver('nobodys')).toMatchObject({ kind: 'succeeded' })
    for (const [name, tenantId] of [['acme', 'evil'], ['nobodys', 'evil'], ['acme']] as const) {
      const missingEntry = JSON.stringify(plainOutcome(await deliver('unknown', tenantId)))
      for (const url of [origin, otherReceiver.url]) {
        const outcome = JSON.stringify(plainOutcome(await deliver(name, tenantId, url)))
        expect(outcome.replace(name, 'unknown')).toBe(missingEntry)
      }
    }
    expect([receiver.requests.length, otherReceiver.connections()]).toEqual([2, 0])
  })

  test('is accepted throughout a rotation, whichever secret the receiver knows', async () => {
    const [old, next] = [newSecret(), newSecret()]
    const entry = (...secrets: readonly string[]) =>
      writeSecrets({ orders: { origin: receiver.url, secrets } })
    await entry(old)
    const handler = await open({ secretsFile })
    const deliver = async (): Promise<ReceivedRequest> => {
      await attempt(handler, { url: receiver.url, secret_name: 'orders', body: 1 })
      return receiver.requests.at(-1) as ReceivedRequest
    }
    verify(old, await deliver())
    await entry(old, next)
    const outcomes = await deliver()
    verify(old, outcomes)
    verify(next, outcomes)
    await entry(next)
    const last = await deliver()
    verify(next, last)
    expect(() => verify(old, last)).toThrow()
    // An invalid file during a rotation stops nothing.
    await writeSecrets('{ "orders": ')
    verify(next, await deliver())
  })

  test('is retried if its entry does not exist yet, and is never sent unsigned', async () => {
    await writeSecrets({})
    for (const handler of [await open({ secretsFile }), await open()])
      expect(plainOutcome(await attempt(handler, { url: receiver.url, secret_name: 'toString' }))).toEqual(
        retried(expect.stringContaining('WEBHOOK_SECRETS_FILE')),
      )
    expect(receiver.connections()).toBe(0)
  })

  test.each([
    ['no JSON', 'whsec_', 'expected'],
    [
      'a short secret',
      JSON.stringify({ a: { origin: 'https://a.example', secrets: ['whsec_c2hvcnQ='] } }),
      '24 to 64 bytes',
    ],
    [
      'not an origin',
      JSON.stringify({ a: { origin: 'https://a.example/path', secrets: [newSecret()] } }),
      'not an origin',
    ],
  ])(
    'cannot start with a file that contains %s, and the error contains no secret',
    async (_, text, reason) => {
      await writeSecrets(text)
      const opening = open({ secretsFile })
      await expect(opening).rejects.toThrow(reason)
      await expect(opening).rejects.not.toThrow(/whsec_[A-Za-z0-9]/)
    },
  )
})
