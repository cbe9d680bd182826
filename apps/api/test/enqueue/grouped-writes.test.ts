import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { builtInJobs, type JobDefinition, type Queue } from '@queue/core'
import { databaseOf } from '@queue/core/internal'
import { createReadiness } from '@queue/service'
import { assertInvariants, eventually } from '@queue/testing'
import type { AppOptions } from '../../src/app.ts'
import { type ApiProcess, startApiProcess } from '../support/api-process.ts'
import { checkedFetch, type CheckedResponse } from '../support/checked-fetch.ts'
import { email } from '../support/requests.ts'
import { type DatabaseApi, startApi, startDatabaseApi, type TestApi } from '../support/start-api.ts'

let api: DatabaseApi

beforeAll(async () => {
  api = await startDatabaseApi()
})

afterAll(() => api.close())

/** Another API on the same database, whose batches go through `enqueueMany`. */
function startOther(enqueueMany: Queue['enqueueMany'], options: Partial<AppOptions> = {}): Promise<TestApi> {
  const { queue } = api
  const readiness = createReadiness({ database: databaseOf(queue) })
  return startApi({ queue: { ...queue, enqueueMany }, readiness, ...options })
}

test('64 concurrent requests make far fewer inserts, and every answer names a job that is there', async () => {
  const sizes: number[] = []
  let arrived = 0
  const catalogue = builtInJobs.map((definition): JobDefinition => {
    const create: JobDefinition['create'] = (payload, options) => {
      arrived += 1
      return (definition as JobDefinition).create(payload, options)
    }
    return { ...definition, create }
  })
  const enqueueMany: Queue['enqueueMany'] = async (requests, target) => {
    sizes.push(requests.length)
    // The first insert takes until all have come, as on a server that is busy.
    await eventually(() => arrived === 64)
    return api.database.queue.enqueueMany(requests, target)
  }
  const other = await startOther(enqueueMany, { catalogue })
  const answers = await Promise.all(
    Array.from({ length: 64 }, async () => {
      const answer = await other.post('/jobs', email)
      expect(await api.database.queue.get(answer.body.id ?? '')).toBeDefined()
      return answer
    }),
  )
  await other.close()
  expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 64 }, () => 201))
  expect(new Set(answers.map(({ body }) => body.id)).size).toBe(64)
  expect(sizes.reduce((sum, size) => sum + size)).toBe(64)
  expect(sizes.length).toBeLessThanOrEqual(2)
})

test('a job that PostgreSQL refuses is a 422, and its neighbours are written', async () => {
  await api.database.pool.query(
    `ALTER TABLE queue.jobs ADD CONSTRAINT no_poison CHECK (payload ->> 'subject' IS DISTINCT FROM 'poison')`,
  )
  const subjects = Array.from({ length: 32 }, (_, n) => (n % 10 === 5 ? 'poison' : `subject ${n}`))
  const answers = await Promise.all(
    subjects.map((subject) => api.post('/jobs', { ...email, payload: { ...email.payload, subject } })),
  )
  await api.database.pool.query('ALTER TABLE queue.jobs DROP CONSTRAINT no_poison')
  expect(answers.map(({ status }) => status)).toEqual(
    subjects.map((subject) => (subject === 'poison' ? 422 : 201)),
  )
  expect(answers[5]?.body).toMatchObject({ error: 'invalid_job', detail: expect.stringContaining('23514') })
})

describe('a batch', () => {
  const batch = { jobs: [email, { ...email, payload: { ...email.payload, subject: 'poison' } }, email] }

  /** What a batch is answered while a trigger on the table runs this for each new row. */
  async function answerUnder(body: string): Promise<CheckedResponse> {
    const { pool } = api.database
    await pool.query(
      `CREATE FUNCTION queue.meddle() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN ${body} RETURN NEW; END$$`,
    )
    await pool.query(
      'CREATE TRIGGER meddle BEFORE INSERT ON queue.jobs FOR EACH ROW EXECUTE FUNCTION queue.meddle()',
    )
    const answer = await api.post('/jobs/batch', batch)
    await pool.query('DROP FUNCTION queue.meddle() CASCADE')
    return answer
  }

  test.each([
    ['a check', `RAISE check_violation;`, '23514'],
    ['a trigger', `RAISE 'secret %', NEW.id;`, 'P0001'],
    ['a trigger with a code of its own', `RAISE USING ERRCODE = '22023', MESSAGE = 'secret';`, '22023'],
  ])(
    'that %s of the owner refuses is a 422 that tells the SQLSTATE and no more',
    async (_by, body, state) => {
      const before = await jobCount()
      const answer = await answerUnder(`IF NEW.payload ->> 'subject' = 'poison' THEN ${body} END IF;`)
      expect(answer).toMatchObject({
        status: 422,
        body: { error: 'invalid_job', detail: `the database refuses one of the jobs (SQLSTATE ${state})` },
      })
      expect(answer.text).not.toMatch(/secret|jobs_|CONTEXT/)
      expect(await jobCount()).toBe(before)
    },
  )

  test.each(['40001', '40P01', '55P03'])(
    'that meets another transaction (%s) is a 503 to be repeated',
    async (state) => {
      const answer = await answerUnder(`RAISE USING ERRCODE = '${state}';`)
      expect(answer).toMatchObject({ status: 503, body: { error: 'database_unavailable' } })
      expect(answer.headers.get('retry-after')).toBe('1')
    },
  )
})

async function jobCount(): Promise<number> {
  const { rows } = await api.database.pool.query<{ count: number }>(
    'SELECT count(*)::int AS count FROM queue.all_jobs',
  )
  return rows[0]?.count ?? -1
}

test('when too many jobs wait to be written the next is a 503 that says when to come back', async () => {
  const gate = Promise.withResolvers<void>()
  const other = await startOther(
    async (requests, target) => {
      await gate.promise
      return api.database.queue.enqueueMany(requests, target)
    },
    { enqueueWaitingMax: 2 },
  )
  const refused: CheckedResponse[] = []
  const sent = Array.from({ length: 6 }, async () => {
    const answer = await other.post('/jobs', email)
    if (answer.status === 503) refused.push(answer)
    return answer.status
  })
  await eventually(() => refused.length === 4)
  for (const { body, headers } of refused) {
    expect(body.error).toBe('overloaded')
    expect(headers.get('retry-after')).toBe('1')
  }
  gate.resolve()
  expect((await Promise.all(sent)).filter((status) => status === 201)).toHaveLength(2)
  expect((await other.post('/jobs', email)).status).toBe(201)
  await other.close()
})

test('two API processes with overlapping keys never deadlock, and each key makes one job', async () => {
  const processes: ApiProcess[] = [1, 2].map(() =>
    startApiProcess({ DATABASE_URL: api.database.urlAs('api') }),
  )
  try {
    const urls = await Promise.all(processes.map((process) => process.url()))
    for (const url of urls) await eventually(async () => (await checkedFetch(url, '/readyz')).status === 200)
    const headers = { 'content-type': 'application/json' }
    for (let round = 0; round < 20; round += 1) {
      const keys = Array.from({ length: 16 }, (_, n) => `overlap-${round}-${(n * 7) % 16}`)
      // Each process gets the keys in an order of its own.
      const sent = urls.flatMap((url, index) =>
        (index === 0 ? keys : keys.toReversed()).map((idempotency_key) => ({ url, idempotency_key })),
      )
      const answers = await Promise.all(
        sent.map(({ url, idempotency_key }) =>
          checkedFetch(url, '/jobs', {
            method: 'POST',
            headers,
            body: JSON.stringify({ ...email, idempotency_key }),
          }),
        ),
      )
      const statuses = answers.map(({ status }) => status)
      expect(statuses.filter((status) => status === 201)).toHaveLength(16)
      expect(statuses.filter((status) => status === 200)).toHaveLength(16)
    }
    const { rows } = await api.database.pool.query<{ deadlocks: string }>(
      'SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()',
    )
    expect(Number(rows[0]?.deadlocks)).toBe(0)
    await assertInvariants(api.database)
  } finally {
    for (const process of processes) {
      process.signal('SIGKILL')
      await process.ended()
    }
  }
})
