import { afterAll, beforeEach, describe, expect, test } from '@jest/globals'
import { resultTypes } from '@queue/dev-postgres'
import { sql } from 'kysely'
import { createQueue } from '../../src/facade/queue.ts'
import { finishInTransaction } from '../../src/transitions/finish-in-transaction.ts'
import { finishJobs } from '../../src/transitions/finish-jobs.ts'
import { claim, newWorker, probe, rowOf } from '../support/builders.ts'
import { committedStatements } from '../support/committed-statements.ts'
import { openWorld } from '../support/world.ts'
import { databaseOf } from '../../src/enqueue/queue-internals.ts'

const world = await openWorld()
afterAll(() => world.close())
beforeEach(() => world.reset())

/** Settings that a server, a database, a role or a caller may have, none of which is PostgreSQL's default. */
const oddSettings: readonly (readonly [name: string, value: string])[] = [
  ['array_nulls', 'off'],
  ['backslash_quote', 'off'],
  ['bytea_output', 'escape'],
  ['DateStyle', 'SQL, DMY'],
  ['default_transaction_deferrable', 'on'],
  ['default_transaction_isolation', 'serializable'],
  ['extra_float_digits', '-15'],
  ['IntervalStyle', 'sql_standard'],
  ['jit_above_cost', '0'],
  ['lc_messages', 'C'],
  ['lock_timeout', '60s'],
  ['plan_cache_mode', 'force_custom_plan'],
  ['plan_cache_mode', 'force_generic_plan'],
  ['plpgsql.extra_errors', 'all'],
  ['quote_all_identifiers', 'on'],
  ['random_page_cost', '1000'],
  ['row_security', 'off'],
  ['search_path', 'pg_temp'],
  ['standard_conforming_strings', 'off'],
  ['TimeZone', 'America/St_Johns'],
  ['transform_null_equals', 'on'],
  ['work_mem', '64kB'],
]

const set = ([name, value]: readonly [name: string, value: string]): string =>
  `SET ${name} = ${name === 'DateStyle' ? value : `'${value}'`}`

/** Requests whose optional values are there for one and absent for the other. */
const requests = () => [
  probe.create(
    { n: 1 },
    {
      tenantId: 'acme',
      delayMs: 1,
      timeoutMs: 1_000,
      metadata: { 'a.b': 'x\\y' },
      retryPolicy: { type: 'fixed', baseMs: 1 },
    },
  ),
  probe.create({ n: 2 }, { key: 'k', weight: 3, expiresInMs: 60_000 }),
  probe.create({ n: 3 }),
]

/** Everything of these jobs that an enqueue has decided, as it is stored. */
async function storedOf(ids: readonly string[]): Promise<unknown> {
  return world.sql(
    `SELECT id::text, kind, queue, priority, max_attempts, timeout_ms, tenant_id, key, weight, payload::text AS payload,
            metadata::text AS metadata, retry_policy::text AS policy, trace_context, idempotency_key,
            (extract(epoch FROM expires_at - created_at) * 1000)::int AS expires_in,
            (extract(epoch FROM run_at - created_at) * 1000)::int AS starts_in
       FROM queue.all_jobs WHERE id = ANY($1::uuid[]) ORDER BY payload ->> 'n'`,
    [ids],
  )
}

const expected = [
  { tenant_id: 'acme', key: null, weight: null, starts_in: 1, expires_in: null, timeout_ms: 1_000 },
  { tenant_id: null, key: 'k', weight: 3, starts_in: 0, expires_in: 60_000, timeout_ms: null },
  { tenant_id: null, key: null, weight: null, starts_in: 0, expires_in: null, timeout_ms: null },
]

describe.each(oddSettings)('where %s is %s,', (...setting) => {
  test('what a caller enqueues and a handler finishes in its transaction is what it says', async () => {
    const client = await world.session()
    await client.query(set(setting))
    await client.query('BEGIN')
    const enqueued = await world.queue.enqueueMany(requests(), { transaction: client })
    const keyed = { idempotencyKey: 'i', unique: { key: 'u', scope: 'live' }, transaction: client } as const
    const { job: keyedJob } = await world.queue.enqueue(probe, { n: 4 }, keyed)
    const again = await world.queue.enqueue(probe, { n: 4 }, keyed)
    expect(again).toMatchObject({ replayed: true, job: { ...keyedJob } })
    const { rows } = await client.query<{ now: string; back: string }>(
      `SELECT queue.enqueue('probe', '{"n": 5, "\uFFFD": 1, "\uE000": 2}', idempotency_key => 's') AS back, now()::text AS now`,
    )
    await client.query('COMMIT')
    const jobs = enqueued.map(({ job }) => job)
    expect(await storedOf(jobs.map(({ id }) => id))).toMatchObject(expected)
    for (const job of [...jobs, keyedJob]) expect(await world.queue.get(job.id)).toEqual(job)
    // The same request by the library has the same fingerprint.
    const payload = { n: 5, '\uFFFD': 1, '\uE000': 2 }
    const replay = await world.queue.enqueue(probe, payload, { idempotencyKey: 's', onMismatch: 'reject' })
    expect(replay).toMatchObject({ replayed: true, job: { id: rows[0]?.back } })

    const [claimed] = await claim(world, await newWorker(world), { limit: 1 })
    if (claimed === undefined) throw new Error('nothing was claimed')
    await client.query('BEGIN')
    const progress = { percent: 50, message: null }
    const end = { lease: claimed.lease, resultText: null, note: null, progress }
    expect(await finishInTransaction({ transaction: client, schema: 'queue' }, end)).toBe('finished')
    await client.query('COMMIT')
    expect(await world.queue.get(claimed.id)).toMatchObject({
      status: 'succeeded',
      result: null,
      lastError: null,
      progress: 50,
      progressMessage: null,
    })
  })

  test.each([true, false])(
    'a queue works on its own pool, with prepared statements: %s',
    async (preparedStatements) => {
      const url = new URL(world.directUrl)
      const escaped = setting[1].replaceAll(' ', '\\ ')
      url.searchParams.set('options', `-c ${setting[0]}=${escaped}`)
      const queue = createQueue({ connectionString: url.href, poolMax: 2, preparedStatements })
      try {
        const jobs = (await queue.enqueueMany(requests())).map(({ job }) => job)
        expect(await storedOf(jobs.map(({ id }) => id))).toMatchObject(expected)
        for (const job of jobs) expect(await world.queue.get(job.id)).toEqual(job)
        const { job: plain } = await queue.enqueue(probe, { n: 6 }, { idempotencyKey: 'i' })
        expect(
          await queue.enqueue(probe, { n: 6 }, { idempotencyKey: 'i', onMismatch: 'reject' }),
        ).toMatchObject({
          replayed: true,
          job: { id: plain.id },
        })
        const claimed = await claim(
          { database: databaseOf(queue) },
          await newWorker({ database: databaseOf(queue) }),
        )
        const first = claimed.find(({ id }) => id === jobs[2]?.id)
        const second = claimed.find(({ id }) => id === plain.id)
        if (first === undefined || second === undefined) throw new Error('nothing was claimed')
        expect(first).toMatchObject({
          createdAt: jobs[2]?.createdAt,
          runAt: jobs[2]?.runAt,
          payload: { n: 3 },
        })
        const ends = [
          { lease: first.lease, resultText: '{"a":1}', note: null },
          { lease: second.lease, resultText: null, note: 'a note' },
        ]
        expect(await finishJobs(databaseOf(queue), ends)).toMatchObject([
          { outcome: 'finished' },
          { outcome: 'finished' },
        ])
        expect(await rowOf(world, first.id)).toMatchObject({ result: '{"a": 1}', last_error: null })
        expect(await rowOf(world, second.id)).toMatchObject({ result: null, last_error: 'a note' })
        expect(await queue.get(first.id)).toEqual(await world.queue.get(first.id))
        expect(await queue.executions(first.id)).toEqual(await world.queue.executions(first.id))
      } finally {
        await queue.close()
      }
    },
  )
})

test('a session that only the queue uses is not ended while it has nothing to do', async () => {
  const url = new URL(world.directUrl)
  url.searchParams.set('options', '-c idle_session_timeout=60s')
  const queue = createQueue({ connectionString: url.href, poolMax: 1, preparedStatements: true })
  try {
    const show = sql<{ idle_session_timeout: string }>`SHOW idle_session_timeout`
    expect(await databaseOf(queue).run(show)).toEqual([{ idle_session_timeout: '0' }])
  } finally {
    await queue.close()
  }
})

/** The types whose text depends on a setting: bytea, real, double precision, money, and those of dates and intervals. */
const changeable = new Set([17, 700, 701, 790, 1_082, 1_083, 1_114, 1_184, 1_186, 1_266])

test('no statement returns a value in a form that a setting of the session changes', async () => {
  const client = await world.session()
  const found: string[] = []
  for (const { name: statement, text } of committedStatements()) {
    const columns = await resultTypes(client, text)
    found.push(
      ...columns.filter(({ type }) => changeable.has(type)).map(({ name }) => `${statement}: ${name}`),
    )
  }
  expect(found).toEqual([])
})
