import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { defineJob, type JsonValue } from '@queue/core'
import { databaseOf } from '@queue/core/internal'
import { createReadiness } from '@queue/service'
import { eventually, recordLogger } from '@queue/testing'
import { z } from 'zod'
import { anonymous } from '../../src/http/principal.ts'
import { watchKinds } from '../../src/kinds/watch-kinds.ts'
import { kindsOf } from '../../src/app.ts'
import { type DatabaseApi, startApi, startDatabaseApi } from '../support/start-api.ts'

describe('the API', () => {
  let api: DatabaseApi
  const reader = {
    permissions: new Set(['jobs:enqueue', 'jobs:read', 'dead_letters:read'] as const),
    who: { type: 'key' as const, id: 'reader00' },
  }
  beforeAll(async () => {
    api = await startDatabaseApi({
      token: 'token-of-an-admin',
      authenticate: async (credential) => (credential === 'reader' ? reader : undefined),
      kindChanges: 'refuse',
    })
  })
  afterAll(() => api.close())

  const as = (credential: string) => ({ authorization: `Bearer ${credential}` })
  const admin = as('token-of-an-admin')
  const post = (path: string, body: unknown, headers = admin) => api.post(path, body, headers)
  const get = (path: string, headers = admin) => api.fetch(path, { headers })
  const invoice = {
    kind: 'invoice',
    payload_schema: {
      type: 'object',
      properties: { id: { type: 'string', pattern: '^i_' }, email: { type: 'string' } },
      required: ['id'],
      additionalProperties: false,
    },
    sensitive: ['/email'],
  }
  const pointersOf = (problem: { issues?: { path: string }[] }) =>
    problem.issues?.map(({ path }) => path).toSorted()

  test.each([
    ['{"__proto__":{"type":"string"}}', '/kinds/0/payload_schema/__proto__'],
    ['{"$schema":"http://json-schema.org/draft-07/schema#"}', '/kinds/0/payload_schema/$schema'],
    ['{"type":"objekt"}', '/kinds/0/payload_schema/type'],
    ['{"$id":"https://schemas.example/a"}', '/kinds/0/payload_schema/$id'],
  ])('refuses what is no payload schema as an invalid kind: %s', async (schema, place) => {
    const body = `{"kinds":[{"kind":"refused","payload_schema":${schema}}]}`
    const headers = { ...admin, 'content-type': 'application/json' }
    const { status, body: problem } = await api.fetch('/kinds', { method: 'POST', headers, body })
    expect({ status, problem }).toMatchObject({
      status: 422,
      problem: { error: 'invalid_kind', issues: [{ path: place }] },
    })
  })

  test('takes a kind as soon as it is registered, checks it, and shows it to who may see it', async () => {
    const unknown = await post('/jobs', { kind: 'invoice', payload: { id: 'i_1' } })
    expect(unknown.status).toBe(422)
    const registered = await post('/kinds', { kinds: [invoice] })
    expect(registered.body).toEqual({
      data: [{ kind: 'invoice', version: 1, outcome: 'new', changed_paths: [] }],
    })
    expect((await post('/jobs', { kind: 'invoice', payload: { id: 'i_1' } })).status).toBe(201)
    const refused = await post('/jobs', { kind: 'invoice', payload: { id: 'x', other: 1 } })
    expect(refused.status).toBe(422)
    expect(pointersOf(refused.body as never)).toEqual(['/payload/id', '/payload/other'])
    expect((await get('/kinds/invoice')).body).toMatchObject({
      kind: 'invoice',
      versions: [
        { version: 1, source: 'registered', live_workers: 0, registered_by: 'api', sensitive: ['/email'] },
      ],
    })
    const listed = (await get('/kinds')).body as unknown as { data: { kind: string; source: string }[] }
    expect(listed.data.map(({ kind }) => kind)).toEqual([
      'invoice',
      'resize_image',
      'send_email',
      'summarize_text',
      'webhook_delivery',
    ])
    expect((await get('/kinds', as('reader'))).status).toBe(403)
    expect((await get('/kinds/nobody')).status).toBe(404)
    expect((await get('/openapi.json')).text).not.toContain('invoice')
  })

  test('names the kinds that are like an unknown one', async () => {
    const unknown = await post('/jobs', { kind: 'invoise', payload: {} })
    expect(unknown.body).toMatchObject({
      issues: [{ path: '/kind', message: 'is not a known kind; closest: invoice' }],
    })
  })

  test('gives a job of an older version the defaults of the newest one, and no others', async () => {
    const old = { queue: 'one', priority: 1, key: '/a', weight: 11 }
    await post('/kinds', {
      kinds: [
        { kind: 'moved', version: 1, payload_schema: { type: 'object', required: ['a'] }, defaults: old },
        {
          kind: 'moved',
          version: 2,
          payload_schema: { type: 'object', required: ['n'] },
          defaults: { queue: 'two', weight: 22 },
        },
      ],
    })
    const expected = { kind_version: 1, queue: 'two', priority: 4, key: null, weight: 22 }
    for (const version of [undefined, 1]) {
      const answer = await post('/jobs', { kind: 'moved', payload: { a: 'x' }, version })
      expect(answer).toMatchObject({ status: 201, body: expected })
    }
  })

  test('takes the newest version whose schema accepts the payload, or the one that is named', async () => {
    const second = { ...invoice, version: 2, payload_schema: { type: 'object', required: ['number'] } }
    await post('/kinds', { kinds: [second] })
    const versionOf = async (job: object) => {
      const answer = await post('/jobs', { kind: 'invoice', ...job })
      return answer.status === 201 ? (answer.body as { kind_version: number }).kind_version : answer.status
    }
    expect(await versionOf({ payload: { number: 1 } })).toBe(2)
    expect(await versionOf({ payload: { id: 'i_1' } })).toBe(1)
    expect(await versionOf({ payload: { id: 'i_1' }, version: 2 })).toBe(422)
    expect(await versionOf({ payload: { id: 'i_1' }, version: 3 })).toBe(422)
    const batch = await post('/jobs/batch', {
      jobs: [
        { kind: 'invoice', payload: {} },
        { kind: 'no', payload: {} },
      ],
    })
    expect(pointersOf(batch.body as never)).toEqual(['/jobs/0/payload/number', '/jobs/1/kind'])
  })

  test('refuses another schema while jobs of its version are there, and names the next one', async () => {
    const changed = { ...invoice, payload_schema: { type: 'object' } }
    const conflict = await post('/kinds', { kinds: [changed] })
    expect(conflict.status).toBe(409)
    expect(conflict.body).toMatchObject({
      type: expect.stringContaining('kind_conflict'),
      issues: [{ path: '/kinds/0/payload_schema', message: expect.stringContaining('as version 3') }],
    })
  })

  test.each([
    [{ payload_schema: { type: 'nothing' } }, '/kinds/0/payload_schema/type'],
    [{ payload_schema: { pattern: '(?=a)' } }, '/kinds/0/payload_schema/pattern'],
    [{ payload_schema: { $ref: 'https://example.com' } }, '/kinds/0/payload_schema/$ref'],
    [{ payload_schema: { $ref: '#/$defs/none' } }, '/kinds/0/payload_schema/$ref'],
    [{ sensitive: ['email'] }, '/kinds/0/sensitive/0'],
    [{ version: 0 }, '/kinds/0/version'],
  ])('refuses to register %j', async (over, path) => {
    const refused = await post('/kinds', { kinds: [{ ...invoice, kind: 'bad', ...over }] })
    expect(refused.status).toBe(422)
    expect(pointersOf(refused.body as never)).toContain(path)
  })

  test('takes no jobs of a retired kind', async () => {
    await post('/kinds', { kinds: [{ ...invoice, kind: 'letter' }] })
    expect((await api.fetch('/kinds/letter', { method: 'DELETE', headers: admin })).status).toBe(204)
    const refused = await post('/jobs', { kind: 'letter', payload: { id: 'i_1' } })
    expect(refused.body).toMatchObject({
      issues: [{ message: 'is retired: new jobs of this kind are not accepted' }],
    })
    await post('/kinds', { kinds: [{ ...invoice, kind: 'letter' }] })
    expect((await post('/jobs', { kind: 'letter', payload: { id: 'i_1' } })).status).toBe(422)
    await post('/kinds', { kinds: [{ ...invoice, kind: 'letter' }], restore: true })
    expect((await post('/jobs', { kind: 'letter', payload: { id: 'i_1' } })).status).toBe(201)
  })

  test('hides payloads and results from who may not read them, and shows everybody what is stored of errors', async () => {
    const payload = { id: 'i_7', email: 'ada@example.com' }
    const open = { ...invoice, kind: 'open_invoice', defaults: { open_results: true } }
    const plain = { ...invoice, kind: 'plain_invoice', sensitive: [] }
    await post('/kinds', { kinds: [open, plain] })
    for (const [kind, shownPayload, shownResult] of [
      ['invoice', { id: 'i_7', email: '***' }, '***'],
      ['open_invoice', { id: 'i_7', email: '***' }, { sent: 1 }],
      ['plain_invoice', payload, { sent: 1 }],
    ] as const) {
      const answered = await post('/jobs', { kind, payload }, as('reader'))
      expect(answered.body).toMatchObject({ payload: shownPayload, result: null })
      const { id } = answered.body as { id: string }
      await api.database.pool.query(
        `UPDATE queue.jobs SET status = 'succeeded', finished_at = now(), attempts = 1, lease_token = 1, result = '{"sent": 1}',
                last_error = 'bounced: ***', progress_message = 'mail to ***' WHERE id = $1`,
        [id],
      )
      const texts = { last_error: 'bounced: ***', progress_message: 'mail to ***' }
      const shown = { ...texts, payload: shownPayload, result: shownResult }
      expect((await get(`/jobs/${id}`, as('reader'))).body).toMatchObject(shown)
      expect((await get(`/jobs?kind=${kind}&limit=1`, as('reader'))).body).toMatchObject({ data: [shown] })
      expect((await get(`/jobs/${id}`)).body).toMatchObject({ ...texts, payload, result: { sent: 1 } })
    }
  })

  test('finds jobs by their key, and shows it to everybody', async () => {
    const payload = { to: 'ada@example.com', subject: 'Hello', body: 'Hello.' }
    const { id } = (await post('/jobs', { kind: 'send_email', payload })).body as { id: string }
    await api.database.pool.query(`UPDATE queue.jobs SET key = 'customer-1' WHERE id = $1`, [id])
    const found = await get('/jobs?key=customer-1', as('reader'))
    expect(found.body).toMatchObject({ data: [{ id, key: 'customer-1' }] })
    expect((await get('/jobs?key=customer')).body).toMatchObject({ data: [] })
    const act = { filter: { key: 'customer-1' }, rate: 1 }
    expect((await post('/jobs/cancel', act)).status).toBe(202)
    expect((await get('/operations', as('reader'))).body).toMatchObject({
      data: [{ filter: { key: 'customer-1' } }],
    })
  })

  test('takes any kind where it is told to, except a retired one', async () => {
    const kinds = kindsOf({ queue: api.queue, logger: recordLogger(), unknownKinds: 'accept' })
    const accepted = await kinds.using((find) => find('whatever'))
    expect(accepted.create({ a: 1 })).toMatchObject({ kind: 'whatever', kindVersion: 1 })
    expect(accepted.create({ a: 1 }, { version: 4 })).toMatchObject({ kindVersion: 4 })
  })

  describe('of another process, which has just read the registry and hears nothing,', () => {
    const otherProcess = async () => {
      let reads = 0
      let readsAtOnce = 0
      let readsAtOnceMax = 0
      const list = async (kind?: string) => {
        reads += 1
        readsAtOnce += 1
        readsAtOnceMax = Math.max(readsAtOnceMax, readsAtOnce)
        return api.queue.kinds.list(kind).finally(() => (readsAtOnce -= 1))
      }
      const queue = { ...api.queue, kinds: { ...api.queue.kinds, list } }
      const kinds = kindsOf({ queue, logger: recordLogger() })
      await kinds.sensitive()
      return { kinds, count: () => ({ reads, readsAtOnceMax }) }
    }

    test('takes a kind, a version and a restored kind as soon as they are registered', async () => {
      const { kinds } = await otherProcess()
      const create = (payload: JsonValue, version = 1) =>
        kinds.using(async (find) => (await find('elsewhere')).create(payload, { version }))
      await expect(create({ id: 'i_1' })).rejects.toMatchObject({ issues: [{ path: '/kind' }] })
      await post('/kinds', { kinds: [{ ...invoice, kind: 'elsewhere' }] })
      expect(await create({ id: 'i_1' })).toMatchObject({ kindVersion: 1 })
      await post('/kinds', { kinds: [{ ...invoice, kind: 'elsewhere', version: 2, payload_schema: {} }] })
      expect(await create('any', 2)).toMatchObject({ kindVersion: 2 })
      await api.queue.kinds.retire('elsewhere')
      kinds.expire()
      await expect(create('any', 2)).rejects.toMatchObject({ issues: [{ path: '/kind' }] })
      await post('/kinds', { kinds: [{ ...invoice, kind: 'elsewhere' }], restore: true })
      expect(await create({ id: 'i_1' })).toMatchObject({ kindVersion: 1 })
    })

    describe('takes a payload of a new version as soon as that is registered', () => {
      const payload = { of: 'version 2' }
      const timing = { every_ms: 3_600_000 }
      const edit = (changes: object) => (_kind: string, id: string) => ({
        method: 'PATCH',
        path: `/jobs/${id}`,
        body: changes,
        headers: { 'if-match': '*' },
      })
      type Request = { method?: string; path: string; body: object; headers?: Record<string, string> }
      const requests: Readonly<Record<string, (kind: string, id: string) => Request>> = {
        'a job': (kind) => ({ path: '/jobs', body: { kind, payload } }),
        'a batch': (kind) => ({ path: '/jobs/batch', body: { jobs: [{ kind, payload }] } }),
        'an edit': edit({ payload }),
        'an edit that names it': edit({ payload, version: 2 }),
        'a schedule': (kind) => ({
          path: '/schedules',
          body: { name: `${kind}-new`, kind, payload, ...timing },
        }),
        'a change of a schedule': (kind) => ({
          method: 'PATCH',
          path: `/schedules/${kind}`,
          body: { payload },
        }),
        'a sync': (kind) => ({
          path: '/schedules/sync',
          body: {
            source: kind,
            revision: 1,
            schedules: [{ name: `${kind}-synced`, kind, payload, ...timing }],
          },
        }),
      }

      test.each(Object.keys(requests))('in %s', async (name) => {
        const kind = name.replaceAll(' ', '_')
        const versionOf = (version: number) => ({
          kinds: [
            {
              kind,
              version,
              payload_schema: { type: 'object', properties: { of: { const: `version ${version}` } } },
            },
          ],
        })
        const of = { of: 'version 1' }
        await post('/kinds', versionOf(1))
        const other = await startApi({
          queue: api.queue,
          readiness: createReadiness({ database: databaseOf(api.queue) }),
        })
        const { id } = (await other.post('/jobs', { kind, payload: of, delay_ms: 3_600_000 })).body as {
          id: string
        }
        await other.post('/schedules', { name: kind, kind, payload: of, ...timing })
        await post('/kinds', versionOf(2))
        const { method = 'POST', path, body, headers } = requests[name]?.(kind, id) ?? { path: '/', body: {} }
        const response = await other.fetch(path, {
          method,
          headers: { 'content-type': 'application/json', ...headers },
          body: JSON.stringify(body),
        })
        await other.close()
        expect(`${response.status} ${JSON.stringify(response.body)}`).toMatch(/^20[01] /)
      })
    })

    test('asks for unknown kinds and refused payloads once at a time, and for each kind once', async () => {
      const { kinds, count } = await otherProcess()
      const before = count().reads
      const refusals = Array.from({ length: 300 }, (_, n) =>
        kinds.using(async (find) => (await find(n % 2 === 0 ? `none-${n % 20}` : 'invoice')).create(7)),
      )
      const settled = await Promise.allSettled(refusals)
      expect(settled.every(({ status }) => status === 'rejected')).toBe(true)
      expect(count().readsAtOnceMax).toBe(1)
      expect(count().reads - before).toBeLessThanOrEqual(2 * 11)
    })

    test('keeps no registry whose read began before it expired', async () => {
      const begun = Promise.withResolvers<void>()
      const mayEnd = Promise.withResolvers<void>()
      let isFirst = true
      const list = async (kind?: string) => {
        const read = await api.queue.kinds.list(kind)
        if (isFirst) {
          isFirst = false
          begun.resolve()
          await mayEnd.promise
        }
        return read
      }
      const kinds = kindsOf({
        queue: { ...api.queue, kinds: { ...api.queue.kinds, list } },
        logger: recordLogger(),
      })
      const first = kinds.sensitive()
      await begun.promise
      await post('/kinds', { kinds: [{ ...invoice, kind: 'meanwhile', sensitive: [] }] })
      kinds.expire()
      mayEnd.resolve()
      await first
      expect((await kinds.sensitive()).of('meanwhile', 1)).toEqual([])
    })
  })

  test('of another process hears of a registration, and goes on with what it knows while it cannot read', async () => {
    let isAway = false
    const list = () => (isAway ? Promise.reject(new Error('away')) : api.queue.kinds.list())
    const queue = { ...api.queue, kinds: { ...api.queue.kinds, list } }
    const kinds = kindsOf({ queue, logger: recordLogger() })
    await kinds.sensitive()
    const watch = watchKinds({ database: databaseOf(api.queue), kinds, logger: recordLogger() })
    watch.start()
    const description = async () =>
      (await kinds.list()).find(({ kind }) => kind === 'heard')?.versions[0]?.description
    await eventually(async () => {
      await api.queue.register([
        defineJob({ kind: 'heard', payload: z.unknown(), description: `at ${Date.now()}` }),
      ])
      return (await description()) !== undefined
    })
    await watch.stop()
    isAway = true
    kinds.expire()
    expect((await kinds.using((find) => find('heard'))).create(1)).toMatchObject({ kind: 'heard' })
    expect(anonymous.permissions.has('kinds:write')).toBe(true)
  })
})
