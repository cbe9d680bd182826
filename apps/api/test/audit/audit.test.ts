import { randomBytes, randomUUID } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { type AuditEntry, type Queue, createQueue, defineJob, type Permission } from '@queue/core'
import { createKey, digestSecret, formatApiKey, permissions, databaseOf } from '@queue/core/internal'
import { createReadiness } from '@queue/service'
import { type TestDatabase, createTestDatabase, insertJob, startDatabaseProxy } from '@queue/testing'
import { z } from 'zod'
import { createKeyVerifier } from '../../src/access/key-verifier.ts'
import type { WireAuditEntry } from '../../src/operations/audit/audit-entry.ts'
import { operations } from '../../src/operations/index.ts'
import { email } from '../support/requests.ts'
import { type TestApi, startApi } from '../support/start-api.ts'

const token = 'a-token-of-these-tests'
const keyId = 'keyaudit'
const secret = randomBytes(32)
const asKey = { authorization: `Bearer ${formatApiKey(keyId, secret)}` }
const asToken = { authorization: `Bearer ${token}` }
let database: TestDatabase
let queue: Queue
let api: TestApi

beforeAll(async () => {
  database = await createTestDatabase()
  queue = createQueue({ connectionString: database.urlAs('api') })
  const authenticate = createKeyVerifier({ database: databaseOf(queue), nowMs: () => performance.now() })
  api = await startApi({
    queue,
    readiness: createReadiness({ database: databaseOf(queue) }),
    token,
    authenticate,
  })
  const digest = digestSecret(secret)
  const owner = databaseOf(database.queue)
  await createKey(owner, { id: keyId, digest, name: 'shop', role: 'admin', permissions: [] })
})

beforeEach(() => database.pool.query('DELETE FROM queue.audit_log; DELETE FROM queue.dead_letter_jobs'))

afterAll(async () => {
  await api.close()
  await queue.close()
  await database.close()
})

async function entries(): Promise<readonly AuditEntry[]> {
  return (await queue.audit.list({ limit: 200 })).entries
}

/** A request that is answered with success, and what its entry says. */
interface Case {
  readonly request: string
  readonly body?: object
  readonly headers?: Record<string, string>
  readonly entry?: Partial<AuditEntry>
  /** Why there is none. */
  readonly unaudited?: string
}

async function deadLetter(): Promise<{ readonly id: string; readonly jobId: string }> {
  const { id: jobId } = await insertJob(database, { status: 'failed_permanent' })
  const { deadLetters } = await queue.deadLetters.list()
  return { id: deadLetters.find((one) => one.jobId === jobId)?.id ?? '', jobId }
}

/** The name of a schedule that is due in centuries. */
async function schedule(): Promise<string> {
  const name = randomUUID()
  expect((await send({ request: 'POST /schedules', body: yearly(name) })).status).toBe(201)
  await database.pool.query('DELETE FROM queue.audit_log')
  return name
}

const yearly = (name: string) => ({ ...email, name, cron: '0 0 1 1 *', starts_at: '2999-01-01T00:00:00Z' })

const aJob = 'its record is the job itself, with its instant; so many entries would hide the others'

const nothing = { queue: 'none' }

/** One for each operation that is no GET. */
const cases: Readonly<Record<string, () => Promise<Case>>> = {
  createJob: async () => ({ request: 'POST /jobs', body: email, unaudited: aJob }),
  createJobs: async () => ({ request: 'POST /jobs/batch', body: { jobs: [email] }, unaudited: aJob }),
  cancelJob: async () => {
    const { id } = await insertJob(database)
    return { request: `POST /jobs/${id}/cancel`, entry: { jobIds: [id], count: 1 } }
  },
  createJobLink: async () => {
    const { id } = await insertJob(database)
    return {
      request: `POST /jobs/${id}/links`,
      unaudited: 'it changes nothing, and is void with the key that made it',
    }
  },
  requeueJob: async () => {
    const { id } = await insertJob(database, { status: 'failed_permanent' })
    return { request: `POST /jobs/${id}/requeue`, entry: { jobIds: [id], count: 1 } }
  },
  editJob: async () => {
    const { id } = await insertJob(database)
    const headers = { 'if-match': '*' }
    return {
      request: `PATCH /jobs/${id}`,
      headers,
      body: { priority: 1 },
      entry: { jobIds: [id], count: 1 },
    }
  },
  runJobNow: async () => {
    const { id } = await insertJob(database, { runAt: { msFromNow: 3_600_000 } })
    return { request: `POST /jobs/${id}/run-now`, entry: { jobIds: [id], count: 1 } }
  },
  duplicateJob: async () => {
    const { id } = await insertJob(database)
    return { request: `POST /jobs/${id}/duplicate`, entry: { target: id, count: 1 } }
  },
  cancelJobs: async () => {
    const { id } = await insertJob(database, { queue: randomUUID() })
    const queueName = (await queue.get(id))?.queue
    const filter = { queue: queueName }
    return {
      request: 'POST /jobs/cancel',
      body: { filter },
      entry: { jobIds: [id], count: 1, filter: filter as AuditEntry['filter'] },
    }
  },
  requeueJobs: async () => {
    const { id } = await insertJob(database, { queue: randomUUID(), status: 'cancelled' })
    const filter = { queue: (await queue.get(id))?.queue }
    return { request: 'POST /jobs/requeue', body: { filter }, entry: { jobIds: [id], count: 1 } }
  },
  rescheduleJobs: async () => {
    const { id } = await insertJob(database, { queue: randomUUID() })
    const body = { filter: { queue: (await queue.get(id))?.queue }, run_at: '2999-01-01T00:00:00Z' }
    return { request: 'POST /jobs/reschedule', body, entry: { jobIds: [id], count: 1 } }
  },
  undoCancel: async () => {
    const { id } = await insertJob(database, {})
    const { updatedAt } = (await queue.cancel(id)).job
    const jobs = [{ id, status: 'queued', changed_at: updatedAt }]
    return { request: 'POST /jobs/undo-cancel', body: { jobs }, entry: { jobIds: [id], count: 1 } }
  },
  undoRequeue: async () => {
    const { id } = await insertJob(database, { status: 'failed_permanent' })
    const { updatedAt } = await queue.requeue(id)
    const jobs = [{ id, changed_at: updatedAt }]
    return { request: 'POST /jobs/undo-requeue', body: { jobs }, entry: { jobIds: [id], count: 1 } }
  },
  undoReschedule: async () => {
    const { id } = await insertJob(database, { queue: randomUUID() })
    const filter = { queue: (await queue.get(id))?.queue }
    const moved = await queue.many.reschedule(filter, { runAt: new Date('2999-01-01') })
    const [previous] = moved.outcome === 'done' ? moved.previous : []
    const jobs = [{ id, run_at: previous?.runAt, changed_at: previous?.changedAt }]
    return { request: 'POST /jobs/undo-reschedule', body: { jobs }, entry: { jobIds: [id], count: 1 } }
  },
  deleteJobs: async () => ({ request: 'POST /jobs/delete', body: { filter: nothing }, entry: { count: 0 } }),
  eraseJobs: async () => ({ request: 'POST /jobs/erase', body: { filter: nothing }, entry: { count: 0 } }),
  purgeQueue: async () => ({
    request: 'POST /queues/none/purge',
    body: {},
    entry: { count: 0, filter: nothing },
  }),
  cancelOperation: async () => {
    const result = await queue.many.delete(nothing)
    const id = result.outcome === 'operation' ? result.operation.id : ''
    return { request: `POST /operations/${id}/cancel`, entry: { target: id, count: 1 } }
  },
  requeueDeadLetters: async () => {
    const letters = [await deadLetter(), await deadLetter()]
    const jobIds = letters.map(({ jobId }) => jobId).toSorted()
    return {
      request: 'POST /dead-letters/requeue',
      body: { kind: 'test_job', dead_lettered_after: '2026-01-14T00:00:00Z' },
      entry: {
        count: 2,
        jobIds,
        target: null,
        filter: { kind: 'test_job', dead_lettered_after: '2026-01-14T00:00:00.000Z' },
      },
    }
  },
  requeueDeadLetter: async () => {
    const { id, jobId } = await deadLetter()
    return { request: `POST /dead-letters/${id}/requeue`, entry: { target: id, jobIds: [jobId], count: 1 } }
  },
  deleteDeadLetter: async () => {
    const { id, jobId } = await deadLetter()
    return { request: `DELETE /dead-letters/${id}`, entry: { target: id, jobIds: [jobId], count: 1 } }
  },
  createSchedule: async () => {
    const name = randomUUID()
    return { request: 'POST /schedules', body: yearly(name), entry: { target: name, count: 1, jobIds: [] } }
  },
  updateSchedule: async () => {
    const target = await schedule()
    return { request: `PATCH /schedules/${target}`, body: { priority: 3 }, entry: { target, count: 1 } }
  },
  deleteSchedule: async () => {
    const target = await schedule()
    return { request: `DELETE /schedules/${target}`, entry: { target, count: 1 } }
  },
  pauseSchedule: async () => {
    const target = await schedule()
    return { request: `POST /schedules/${target}/pause`, entry: { target, count: 1 } }
  },
  resumeSchedule: async () => {
    const target = await schedule()
    await queue.schedules.pause(target)
    return { request: `POST /schedules/${target}/resume`, entry: { target, count: 1 } }
  },
  runScheduleNow: async () => {
    const target = await schedule()
    return {
      request: `POST /schedules/${target}/run-now`,
      entry: { target, count: 1, jobIds: [expect.any(String) as unknown as string] },
    }
  },
  syncSchedules: async () => {
    const [name, target] = [randomUUID(), `source-${randomUUID()}`]
    return {
      request: 'POST /schedules/sync',
      body: { source: target, revision: 1, schedules: [yearly(name)] },
      entry: { target, count: 1, filter: { revision: 1, created: [name], updated: [], deleted: [] } },
    }
  },
  listJobStates: async () => ({
    request: 'POST /jobs/states',
    body: { ids: [randomUUID()] },
    unaudited: 'it changes nothing: it reads states',
  }),
  previewTiming: async () => ({
    request: 'POST /schedules/preview',
    body: { cron: '0 0 * * *' },
    unaudited: 'it changes nothing: it computes instants',
  }),
  pauseQueue: async () => ({
    request: 'POST /queues/default/pause',
    entry: { target: 'default', count: 1, jobIds: [] },
  }),
  resumeQueue: async () => ({
    request: 'POST /queues/default/resume',
    entry: { target: 'default', count: 1, jobIds: [] },
  }),
  setLimit: async () => ({
    request: 'PUT /limits',
    body: { queue: 'audited', scope: 'key', name: 'acme', max_running: 5 },
    entry: { target: 'audited key acme', count: 1, jobIds: [] },
  }),
  changeLimit: async () => ({
    request: 'PATCH /limits',
    body: { queue: 'audited', scope: 'key', name: 'acme', paused: true },
    entry: { target: 'audited key acme', count: 1, jobIds: [] },
  }),
  deleteLimit: async () => {
    await queue.limits.set({ queue: 'audited', scope: 'queue', maxRunning: 5 })
    return {
      request: 'DELETE /limits?queue=audited&scope=queue',
      entry: { target: 'audited', count: 1, jobIds: [] },
    }
  },
  registerKinds: async () => ({
    request: 'POST /kinds',
    body: { kinds: [{ kind: 'audited', payload_schema: {} }] },
    entry: { target: 'audited/1', count: 1, jobIds: [] },
  }),
  retireKind: async () => {
    await queue.register([defineJob({ kind: 'retired', payload: z.object({}) })])
    return { request: 'DELETE /kinds/retired', entry: { target: 'retired', count: 1, jobIds: [] } }
  },
  revokeKey: async () => {
    const owner = databaseOf(database.queue)
    const id = `r${randomBytes(4).toString('hex')}`.slice(0, 8)
    await createKey(owner, { id, digest: randomBytes(32), name: 'old', role: 'read', permissions: [] })
    return { request: `DELETE /keys/${id}`, entry: { target: id, count: 1 } }
  },
}

function send({ request, body, headers: own }: Case, headers: Record<string, string> = asKey) {
  const [method = '', path = ''] = request.split(' ')
  const json = body === undefined ? {} : { 'content-type': 'application/json' }
  return api.fetch(path, {
    method,
    headers: { ...headers, ...own, ...json },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
}

/** What acts change, without the times at which rows were last written. */
async function state(): Promise<unknown> {
  const { rows } = await database.pool.query(
    `SELECT (SELECT jsonb_agg(to_jsonb(j) - 'updated_at' ORDER BY j.id) FROM queue.all_jobs AS j) AS jobs,
            (SELECT jsonb_agg(d ORDER BY d.id) FROM queue.dead_letter_jobs AS d) AS dead_letters,
            (SELECT jsonb_agg(q ORDER BY q.name) FROM queue.queues AS q) AS queues,
            (SELECT jsonb_agg(to_jsonb(s) - 'updated_at' ORDER BY s.name) FROM queue.schedules AS s) AS schedules,
            (SELECT jsonb_agg(to_jsonb(l) - 'updated_at' ORDER BY l.queue, l.scope, l.name) FROM queue.limits AS l) AS limits,
            (SELECT jsonb_agg(k ORDER BY k.kind, k.version) FROM queue.job_kinds AS k) AS kinds,
            (SELECT jsonb_agg(r ORDER BY r.key_id) FROM queue.api_key_revocations AS r) AS revocations`,
  )
  return rows[0]
}

const changing = operations.filter(({ method }) => method !== 'get')

test('every operation that changes something is an act, or it is said why it is none', () => {
  expect(Object.keys(cases).toSorted()).toEqual(changing.map(({ operationId }) => operationId).toSorted())
  for (const { method, act } of operations) if (method === 'get') expect(act).toBeUndefined()
})

describe.each(changing.map((operation) => ({ name: operation.operationId, operation })))(
  '$name',
  ({ name, operation }) => {
    const prepared = (): Promise<Case> => cases[name]?.() ?? Promise.reject(new Error(`no case for ${name}`))

    test('leaves one entry with who, what and from where; or none, for a reason', async () => {
      const one = await prepared()
      const answer = await send(one, { ...asKey, 'x-request-id': `request-of-${name}` })
      expect([answer.status, answer.text.slice(0, 200)]).toEqual([expect.any(Number), expect.any(String)])
      expect(answer.status).toBeLessThan(300)
      expect(operation.act === undefined).toBe(one.unaudited !== undefined)
      if (operation.act === undefined) return expect(await entries()).toEqual([])
      expect(await entries()).toEqual([
        expect.objectContaining({
          act: operation.act,
          actorType: 'key',
          actor: keyId,
          actorName: 'shop',
          address: '127.0.0.1',
          requestId: `request-of-${name}`,
          tenantId: null,
          ...one.entry,
        }),
      ])
    })

    test('leaves none where it is refused', async () => {
      const one = await prepared()
      for (const headers of [{ authorization: 'Bearer wrong' }, {}])
        expect((await send(one, headers)).status).toBe(401)
      const nowhere = one.request.replace(/[0-9a-z-]{36}|default|\/keys\/\w+/, (identifier) =>
        identifier.startsWith('/keys') ? '/keys/nothing0' : '00000000-0000-7000-8000-000000000000',
      )
      if (nowhere !== one.request) expect((await send({ ...one, request: nowhere })).status).toBe(404)
      expect(await entries()).toEqual([])
    })

    test('counts what it has changed: 0 where a repetition finds nothing left to do', async () => {
      const one = await prepared()
      if (operation.act === undefined) return
      expect((await send(one)).status).toBeLessThan(300)
      await database.pool.query('DELETE FROM queue.audit_log')
      const before = await state()
      if ((await send(one)).status >= 300) return expect(await entries()).toEqual([])
      const [entry] = await entries()
      expect((entry?.count ?? 0) > 0).toBe(!isDeepStrictEqual(await state(), before))
      if (entry?.count === 0) expect(entry.jobIds).toEqual([])
    })

    test('has no effect where its entry cannot be written', async () => {
      const one = await prepared()
      if (operation.act === undefined) return
      const before = await state()
      await database.pool.query('ALTER TABLE queue.audit_log ADD CONSTRAINT closed CHECK (false) NOT VALID')
      try {
        expect(await send(one)).toMatchObject({ status: 409, body: { error: 'refused' } })
      } finally {
        await database.pool.query('ALTER TABLE queue.audit_log DROP CONSTRAINT closed')
      }
      expect(await state()).toEqual(before)
      expect(await entries()).toEqual([])
    })
  },
)

test('what only reads leaves no entry, nor does a dry run', async () => {
  const { id } = await insertJob(database, { status: 'succeeded' })
  for (const { method, path } of operations) {
    if (method !== 'get') continue
    const asset = path.replace('{asset}', 'style.css').replace('{id}', id)
    expect((await api.fetch(asset, { headers: asKey })).status).toBeLessThan(500)
  }
  await send({ request: 'POST /dead-letters/requeue', body: { dry_run: true } })
  await send({ request: `POST /jobs/${id}/cancel` })
  expect(await entries()).toEqual([])
})

test('a second cancel of a running job finds nothing left to do', async () => {
  const { id } = await insertJob(database, { status: 'running' })
  for (const count of [1, 0]) {
    expect(await send({ request: `POST /jobs/${id}/cancel` })).toMatchObject({ status: 202 })
    expect((await entries())[0]).toMatchObject({ act: 'job.cancel', count })
  }
})

test('an act whose answer is lost has one entry exactly when it took effect', async () => {
  for (const moment of ['before', 'after'] as const) {
    const proxy = await startDatabaseProxy(database.urlAs('api'))
    const behind = createQueue({ connectionString: proxy.url, queryTimeoutMs: 1_000 })
    const { id } = await insertJob(database)
    // The end of the text, which the isolation level's name is not at.
    const silenced = proxy.silenceAt(moment, 'COMMIT\0')
    const act = behind.actAs({ type: 'key', id: keyId }).cancel(id)
    await expect(act).rejects.toMatchObject({ code: 'database_unavailable' })
    await silenced
    await proxy.close()
    await behind.close()
    const [job, { entries: about }] = [await queue.get(id), await queue.audit.list({ jobId: id })]
    expect([job?.status, about.length]).toEqual(moment === 'after' ? ['cancelled', 1] : ['queued', 0])
  }
})

test('acts that race have one entry for each that was done', async () => {
  const { id } = await insertJob(database)
  const revoked = 'racing00'
  const owner = databaseOf(database.queue)
  await createKey(owner, { id: revoked, digest: randomBytes(32), name: 'r', role: 'read', permissions: [] })
  const ten = (request: string) => Promise.all(Array.from({ length: 10 }, () => send({ request })))
  const [cancels, revocations] = await Promise.all([
    ten(`POST /jobs/${id}/cancel`),
    ten(`DELETE /keys/${revoked}`),
  ])
  expect(cancels.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([
    200,
    ...Array.from({ length: 9 }, () => 409),
  ])
  expect(revocations.every(({ status }) => status === 204)).toBe(true)
  const all = await entries()
  expect(all.filter(({ act }) => act === 'job.cancel')).toMatchObject([{ jobIds: [id] }])
  const counts = all.filter(({ target }) => target === revoked).map(({ count }) => count)
  expect(counts.toSorted((a, b) => a - b)).toEqual([...Array.from({ length: 9 }, () => 0), 1])
})

test('what comes from outside is kept within bounds', async () => {
  const { id } = await insertJob(database)
  const cancel = (headers: Record<string, string>) => send({ request: `POST /jobs/${id}/cancel` }, headers)
  expect((await cancel({ authorization: `Bearer ${'x'.repeat(20_000)}` })).status).toBe(431)
  expect(await entries()).toEqual([])
  expect((await cancel({ ...asKey, 'x-request-id': 'x'.repeat(5_000) })).status).toBe(200)
  expect((await entries())[0]?.requestId).toMatch(/^[0-9a-f-]{36}$/)
})

test('whoever has the token, and whoever needs none, is told apart', async () => {
  await send(await (cases['cancelJob'] as () => Promise<Case>)(), asToken)
  const open = await startApi({ queue, readiness: createReadiness({ database: databaseOf(queue) }) })
  const { id } = await insertJob(database)
  await open.post(`/jobs/${id}/cancel`)
  await open.close()
  const actors = (await entries()).map(({ actorType, actor, actorName }) => [actorType, actor, actorName])
  expect(actors).toEqual([
    ['anyone', 'anyone', null],
    ['token', 'token', null],
  ])
})

describe('GET /audit', () => {
  const list = async (query = '', headers: Record<string, string> = asKey) => {
    const { status, text } = await api.fetch(`/audit${query}`, { headers })
    return { status, ...(JSON.parse(text) as { data: WireAuditEntry[]; next_cursor: string | null }) }
  }

  test('finds by actor, act, job and time, and pages without a gap', async () => {
    const ids: string[] = []
    for (let n = 0; n < 5; n += 1) {
      const { id } = await insertJob(database)
      ids.push(id)
      await send({ request: `POST /jobs/${id}/cancel` }, n % 2 === 0 ? asKey : asToken)
    }
    await send({ request: 'POST /queues/default/pause' })
    await send({ request: 'POST /queues/default/resume' })
    expect((await list(`?actor=${keyId}&act=job.cancel`)).data.map((one) => one.job_ids[0])).toEqual([
      ids[4],
      ids[2],
      ids[0],
    ])
    expect((await list(`?job_id=${ids[3]}`)).data).toMatchObject([{ act: 'job.cancel', actor: 'token' }])
    expect((await list('?actor=nobody')).data).toEqual([])
    expect((await list('?tenant=acme')).data).toEqual([])
    const all = (await list()).data
    expect(all).toHaveLength(7)
    const middle = all[3]?.at ?? ''
    const after = (await list(`?from=${middle}`)).data
    const before = (await list(`?to=${middle}`)).data
    expect([...after, ...before]).toEqual(all)
    for (const filter of ['', '&actor=token', '&act=job.cancel', `&job_id=${ids[0]}`]) {
      const paged: WireAuditEntry[] = []
      let cursor = ''
      do {
        const page = await list(`?limit=2${filter}${cursor}`)
        paged.push(...page.data)
        cursor = page.next_cursor === null ? '' : `&cursor=${page.next_cursor}`
      } while (cursor !== '')
      expect(paged).toEqual((await list(`?limit=200${filter}`)).data)
    }
  })

  test('says when by the clock of the database, which is that of the act', async () => {
    const { id } = await insertJob(database)
    await send({ request: `POST /jobs/${id}/cancel` })
    const [entry] = (await list()).data
    const afterAct = Date.parse(entry?.at ?? '') - Number((await queue.get(id))?.finishedAt?.getTime())
    expect(afterAct).toBeGreaterThanOrEqual(0)
    expect(afterAct).toBeLessThan(60_000)
  })

  test.each(['?act=nothing', '?job_id=x', '?from=yesterday', '?actor=', '?limit=201', '?other=1'])(
    'refuses %s',
    async (query) => {
      expect((await list(query)).status).toBe(400)
    },
  )

  test('needs its permission, and refuses a cursor that is not its own', async () => {
    expect((await list('?cursor=eA')).status).toBe(400)
    const others = permissions.filter((one: Permission) => one !== 'audit:read')
    const digest = digestSecret(secret)
    const owner = databaseOf(database.queue)
    await createKey(owner, { id: 'keyless0', digest, name: 'n', role: 'enqueue', permissions: others })
    const answer = await list('', { authorization: `Bearer ${formatApiKey('keyless0', secret)}` })
    expect(answer).toMatchObject({ status: 403, permission: 'audit:read' })
  })
})
