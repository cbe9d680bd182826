import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { defineJob, type JobDefinition, upgradeFrom } from '@queue/core'
import { eventually, recordLogger } from '@queue/testing'
import { z } from 'zod'
import { kindsOf } from '../../src/app.ts'
import { anonymous } from '../../src/http/principal.ts'
import { type DatabaseApi, startDatabaseApi } from '../support/start-api.ts'

const secret = 'victim@example.com'
const payload = z.looseObject({})
const hidesMail = defineJob({ kind: 'pay', payload, sensitive: ['/mail'] })
const hidesEmail = defineJob({ kind: 'pay', version: 2, payload, sensitive: ['/email'] })
const hidesNothing = defineJob({ kind: 'open', payload, sensitive: [] })
const hidesAll = defineJob({ kind: 'undeclared', payload })
/** The API is started with this one, and hears of the others by the registry. */
const known = defineJob({
  kind: 'known',
  version: 2,
  payload: z.strictObject({ email: z.string() }),
  sensitive: ['/email'],
  upgrade: { 1: upgradeFrom(z.strictObject({ mail: z.string() }), ({ mail }) => ({ email: mail })) },
})

let api: DatabaseApi
beforeAll(async () => {
  api = await startDatabaseApi({
    catalogue: [known],
    authenticate: (credential) => {
      const all = new Set(anonymous.permissions)
      if (credential !== 'reader') return Promise.resolve({ ...anonymous, permissions: all })
      all.delete('payload:read')
      return Promise.resolve({ ...anonymous, permissions: all })
    },
  })
  await api.queue.register([hidesMail, hidesNothing, hidesAll])
  await api.queue.register([hidesEmail])
})
afterAll(() => api.close())

const reader = { authorization: 'Bearer reader', 'if-match': '*', 'content-type': 'application/json' }
const send = (method: string, path: string, body?: unknown) =>
  api.fetch(path, { method, headers: reader, ...(body !== undefined && { body: JSON.stringify(body) }) })
const waiting = async (definition: JobDefinition, body: object = { mail: secret }) =>
  (await api.queue.enqueue(definition, body, { delayMs: 3_600_000 })).job.id

describe('who may not read payloads unmasks none', () => {
  const mayNotRead = { status: 403, body: { permission: 'payload:read' } }

  test('by an edit to a version that hides less', async () => {
    const id = await waiting(hidesMail)
    expect((await send('GET', `/jobs/${id}`)).text).not.toContain(secret)
    expect(await send('PATCH', `/jobs/${id}`, { version: 2 })).toMatchObject(mayNotRead)
    await api.queue.edit(id, { work: { definition: hidesEmail, payload: { mail: secret } } })
    const edited = await send('PATCH', `/jobs/${id}`, { priority: 1 })
    expect(edited).toMatchObject({
      status: 200,
      body: { job: { kind_version: 2, payload: { mail: '***' } } },
    })
    expect((await send('POST', `/jobs/${id}/duplicate`)).text).not.toContain(secret)
  })

  test('by a version that they have registered, which tells of the payload by its key or its schema', async () => {
    const id = await waiting(hidesMail)
    const schemaThatTells = { properties: { mail: { pattern: '^v' } } }
    for (const [version, over] of [
      [7, { payload_schema: schemaThatTells }],
      // The newest, because its defaults are those of every version.
      [8, { payload_schema: {}, defaults: { key: '/mail' } }],
    ] as const) {
      const kinds = [{ kind: 'pay', version, sensitive: [], ...over }]
      expect((await send('POST', '/kinds', { kinds })).status).toBe(200)
      expect(await send('PATCH', `/jobs/${id}`, { version })).toMatchObject(mayNotRead)
    }
    const written = await send('PATCH', `/jobs/${id}`, { version: 8, payload: { mail: 'their own' } })
    expect(written).toMatchObject({
      status: 200,
      body: { job: { key: 'their own', payload: { mail: '***' } } },
    })
    expect((await send('GET', `/jobs/${id}`)).text).not.toContain(secret)
  })

  test('by the kind of a schedule', async () => {
    await api.queue.schedules.create({
      name: 's',
      everyMs: 3_600_000,
      definition: hidesMail,
      payload: { mail: secret },
    })
    for (const work of [{ kind: 'open' }, { version: 2 }, { priority: 1 }])
      expect(await send('PATCH', '/schedules/s', work)).toMatchObject(mayNotRead)
    await api.queue.schedules.update('s', { definition: hidesNothing, payload: { mail: secret } })
    const changed = await send('PATCH', '/schedules/s', { every_ms: 7_200_000 })
    expect(changed).toMatchObject({ status: 200, body: { kind: 'open', payload: { mail: '***' } } })
    expect((await send('POST', '/schedules/s/run-now')).text).not.toContain(secret)
  })

  test('by a registration of the same version that hides nothing', async () => {
    const id = await waiting(hidesAll)
    const [registered] = (await api.queue.kinds.list('undeclared')).map(({ payloadSchema }) => payloadSchema)
    const kinds = [{ kind: 'undeclared', version: 1, payload_schema: registered, sensitive: [] }]
    expect((await send('POST', '/kinds', { kinds })).status).toBe(200)
    expect((await send('GET', `/jobs/${id}`)).body).toMatchObject({ payload: '***' })
  })

  test('by a wait that has begun before their kind hid anything', async () => {
    const body = { kind: 'later', payload: { mail: secret }, queue: 'later', delay_ms: 3_600_000 }
    const kind = { kind: 'later', version: 1, payload_schema: {}, sensitive: [] }
    expect((await send('POST', '/kinds', { kinds: [kind] })).status).toBe(200)
    const answer = api.fetch('/jobs', {
      method: 'POST',
      headers: { ...reader, prefer: 'wait=20' },
      body: JSON.stringify(body),
    })
    const id = await eventually(async () => (await api.queue.list({ queue: 'later' })).jobs[0]?.id)
    expect((await send('POST', '/kinds', { kinds: [{ ...kind, sensitive: ['/mail'] }] })).status).toBe(200)
    await api.queue.cancel(id)
    expect((await answer).text).not.toContain(secret)
    expect(await answer).toMatchObject({ status: 201, body: { status: 'cancelled' } })
  })

  describe.each([{}, { prefer: 'handling=strict' }])('asked with %j', (prefer) => {
    const guess = async (path: string, body: object, key?: string) => {
      const headers = { ...reader, ...prefer, ...(key !== undefined && { 'idempotency-key': key }) }
      const {
        status,
        headers: answered,
        body: json,
      } = await api.fetch(path, {
        method: 'POST',
        headers,
        body: JSON.stringify(body),
      })
      return { status, mismatch: answered.get('idempotency-mismatch'), json: JSON.stringify(json) }
    }
    const written = async (definition: JobDefinition) => {
      const idempotencyKey = `key ${Math.random()}`
      await api.queue.enqueue(definition, { mail: secret }, { delayMs: 3_600_000, idempotencyKey })
      return idempotencyKey
    }

    test('by guesses with an idempotency key', async () => {
      const key = await written(hidesMail)
      const job = (mail: string) => ({ kind: 'pay', version: 1, payload: { mail }, delay_ms: 3_600_000 })
      const right = await guess('/jobs', job(secret), key)
      expect(right).toMatchObject({ status: 200, mismatch: null })
      expect(await guess('/jobs', job('wrong@example.com'), key)).toEqual(right)
    })

    test('by guesses with an idempotency key in a batch', async () => {
      const key = await written(hidesMail)
      const jobs = (mail: string) => ({ jobs: [{ kind: 'pay', payload: { mail }, idempotency_key: key }] })
      const right = await guess('/jobs/batch', jobs(secret))
      expect(right).toMatchObject({ status: 201, mismatch: null })
      expect(await guess('/jobs/batch', jobs('wrong@example.com'))).toEqual(right)
    })

    test('but of a job that hides nothing a mismatch is told', async () => {
      const key = await written(hidesNothing)
      const wrong = await guess('/jobs', { kind: 'open', payload: { mail: 'wrong@example.com' } }, key)
      expect(wrong).toMatchObject('prefer' in prefer ? { status: 422 } : { status: 200, mismatch: 'true' })
    })
  })

  test('by an API that knows another version', async () => {
    const id = await waiting(defineJob({ kind: 'known', payload }))
    expect((await send('GET', `/jobs/${id}`)).body).toMatchObject({ kind_version: 1, payload: '***' })
  })
})

test('what a version declares later is hidden in its jobs too', async () => {
  const id = await waiting(hidesNothing, { mail: secret, phone: '555-0100' })
  expect((await send('GET', `/jobs/${id}`)).text).toContain(secret)
  await api.queue.register([defineJob({ kind: 'open', payload, sensitive: ['/phone'] })])
  const kinds = kindsOf({ queue: api.queue, logger: recordLogger() })
  expect((await kinds.sensitive()).of('open', 1)).toEqual(['/phone'])
  await send('POST', '/kinds', { kinds: [{ kind: 'other', payload_schema: {} }] })
  expect((await send('GET', `/jobs/${id}`)).body).toMatchObject({ payload: { mail: secret, phone: '***' } })
})
