import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { createTestDatabase, type TestDatabase } from '@queue/testing'
import { checkRun } from '../src/checker/check-run.ts'
import { wrongUniqueKeys } from '../src/checker/check-unique.ts'
import { createHistory, type History } from '../src/record/history.ts'
import { installEffectLog } from '../src/record/effect-log.ts'
import { readMoment } from '../src/record/snapshot.ts'
import { createClient } from '../src/run/client.ts'

let database: TestDatabase
let directory: string
let histories = 0

beforeAll(async () => {
  database = await createTestDatabase()
  await installEffectLog(database.pool, database.schema)
  directory = await mkdtemp(path.join(tmpdir(), 'queue-chaos-'))
})

afterAll(async () => {
  await rm(directory, { recursive: true, force: true })
  await database.close()
})

/** The faults that the checker finds after `act`, as `kind: detail`. */
async function faultsOf(act: (history: History) => Promise<unknown>): Promise<string[]> {
  await database.pool.query(
    'TRUNCATE queue.jobs, queue.ended_jobs, chaos.audit, chaos.effects, chaos.key_states',
  )
  const history = createHistory(path.join(directory, `${(histories += 1)}.jsonl`))
  await act(history)
  await history.close()
  const { faults } = await checkRun(database, history.path)
  return faults.map(({ kind, detail }) => `${kind}: ${detail}`)
}

/** Enqueues a job with this key and cancels it, which ends it. */
async function enqueueAndCancel(history: History, key: string): Promise<void> {
  const client = createClient(database.queue, history)
  const ids = await client.enqueue([{ key, plan: 'succeed', ms: 0 }])
  for (const id of ids ?? []) await client.cancel({ key, id })
}

test('a job that its client enqueued and cancelled is without fault', async () => {
  expect(await faultsOf((history) => enqueueAndCancel(history, 'a'))).toEqual([])
})

test('a job that was acknowledged and does not exist is lost', async () => {
  const faults = await faultsOf(async (history) => {
    history.write({ type: 'invoke', op: 'enqueue', keys: ['a'] })
    history.write({ type: 'ok', op: 'enqueue', keys: ['a'], ids: ['00000000-0000-7000-8000-000000000001'] })
  })
  expect(faults).toEqual(['lost: key a was acknowledged, but has no job'])
})

test.each(['fail', 'unknown'] as const)('a job whose enqueue ended as %s need not exist', async (type) => {
  const faults = await faultsOf(async (history) => {
    history.write({ type: 'invoke', op: 'enqueue', keys: ['a'] })
    history.write({ type, op: 'enqueue', keys: ['a'] })
  })
  expect(faults).toEqual([])
})

test('a second job with the same key is a duplicate', async () => {
  const faults = await faultsOf(async (history) => {
    await enqueueAndCancel(history, 'a')
    await enqueueAndCancel(history, 'a')
  })
  expect(faults).toContainEqual(expect.stringMatching(/^duplicated job: key a also has job /))
})

test('a job that no client enqueued is unexpected', async () => {
  const faults = await faultsOf(async () => {
    const otherHistory = createHistory(path.join(directory, 'another-client.jsonl'))
    await enqueueAndCancel(otherHistory, 'b')
    await otherHistory.close()
  })
  expect(faults).toEqual(['unexpected: no client enqueued it (key b)'])
})

test('the audit records a change that no statement of the queue makes', async () => {
  const faults = await faultsOf(async (history) => {
    await enqueueAndCancel(history, 'a')
    await database.pool.query(`UPDATE queue.jobs SET status = 'succeeded'`)
  })
  expect(faults).toContain('illegal transition: cancelled → succeeded: no such transition')
})

test.each([
  ['live', { scope: 'live' }, 1],
  ['waiting', { scope: 'waiting' }, 1],
  ['window', { scope: 'window', windowMs: 60_000 }, 3],
] as const)(
  'a second holder of a unique key is detected, and an answer that names no job: %s',
  async (_, scope, overlaps) => {
    await faultsOf(async (history) => {
      const client = createClient(database.queue, history)
      const add = (key: string) =>
        client.enqueueUnique({ key, plan: 'succeed', ms: 0, options: { unique: { ...scope, key: 'u' } } })
      const first = await add('a')
      const conflicting = await add('b')
      expect(conflicting).toMatchObject({ conflict: 'returned', job: { id: first?.job.id } })
      // The first ends before the second begins, and the third comes while the second holds the key.
      await database.queue.cancel(first?.job.id ?? '')
      for (const key of ['c', 'd']) {
        await database.pool.query('DELETE FROM queue.job_unique_slots')
        await add(key)
      }
    })
    const unknownId = '00000000-0000-7000-8000-000000000001'
    const now = await readMoment(database)
    const call = { before: now, answered: now, committed: now }
    const answered = { request: 'e', uniqueKey: 'u', scope: scope.scope, policy: 'return' } as const
    const answers = [{ ...call, ...answered, outcome: 'returned', jobId: unknownId } as const]
    const faults = await wrongUniqueKeys(database, { answers }, 60_000)
    expect(faults).toHaveLength(overlaps + 1)
    expect(faults.filter((fault) => fault.includes('while'))).toHaveLength(overlaps)
    expect(faults.at(-1)).toBe(
      `the answer to e for the unique key u (${scope.scope}, return) is wrong: returned, job ${unknownId}`,
    )
    await database.pool.query('DELETE FROM queue.job_unique_slots')
  },
)
