import { afterAll, beforeEach, describe, expect, test } from '@jest/globals'
import { untilSomeoneWaitsFor } from '@queue/dev-postgres'
import { z } from 'zod'
import { createKey } from '../../src/access/create-key.ts'
import type { ManyResult } from '../../src/acts/acts-on-many.ts'
import { carryOutOperation, nextOperationMs } from '../../src/acts/carry-out-operation.ts'
import type { Actor } from '../../src/domain/actor.ts'
import { defineJob } from '../../src/domain/job-definition.ts'
import type { ClaimedJob } from '../../src/domain/job.ts'
import type { LimitTarget } from '../../src/flow/limit-rule.ts'
import { pruneLaneEvents } from '../../src/flow/prune-lane-events.ts'
import { pruneLimitCounters } from '../../src/flow/prune-limit-counters.ts'
import { writeLogs } from '../../src/insight/write-logs.ts'
import { pruneJobs } from '../../src/transitions/prune-jobs.ts'
import { reportProgress } from '../../src/transitions/report-progress.ts'
import { retryOrDeadLetterJobs } from '../../src/transitions/retry-or-dead-letter-jobs.ts'
import { claim, enqueueProbe, newWorker, probe } from '../support/builders.ts'
import { openWorld } from '../support/world.ts'

const world = await openWorld()
const { queue, database } = world
afterAll(() => world.close())
beforeEach(() => world.reset())

const by: Actor = { type: 'key', id: 'operator', name: 'an operator' }
const acts = queue.actAs(by)
const later = new Date('2031-01-01T00:00:00Z')
const mail = defineJob({
  kind: 'probe',
  payload: z.object({ email: z.string(), text: z.string() }),
  key: '/email',
})

beforeEach(() =>
  createKey(database, {
    id: by.id,
    digest: Buffer.alloc(32),
    name: 'an operator',
    role: 'admin',
    permissions: [],
  }),
)

async function carryOutAll(result: ManyResult): Promise<void> {
  if (result.outcome !== 'operation') throw new Error('the action was done at once')
  while ((await nextOperationMs(database)) !== null) {
    await world.sql(`UPDATE queue.operations SET next_batch_at = now() WHERE state = 'running'`)
    await carryOutOperation(database)
  }
  expect(await queue.operations.get(result.operation.id)).toMatchObject({ state: 'succeeded' })
}

/** The tables, and rows of them, whose text contains one of these values. */
async function rowsWith(values: readonly string[]): Promise<string[]> {
  const tables = await world.sql<{ name: string }>(
    `SELECT table_name AS name FROM information_schema.tables
      WHERE table_schema = 'queue' AND table_type = 'BASE TABLE' ORDER BY 1`,
  )
  const found: string[] = []
  for (const { name } of tables) {
    const rows = await world.sql<{ text: string }>(`SELECT t::text AS text FROM queue."${name}" AS t`)
    found.push(
      ...rows
        .filter(({ text }) => values.some((value) => text.includes(value)))
        .map(({ text }) => `${name}: ${text}`),
    )
  }
  return found
}

/** What workers do from time to time. */
async function tidyUp(workerId: string): Promise<void> {
  await claim(world, workerId)
  await pruneLimitCounters(database)
  await pruneLaneEvents(database, 0)
}

async function fail({ lease }: ClaimedJob, permanent: boolean): Promise<void> {
  const line = {
    line: 1,
    atMs: 0,
    level: 'info',
    message: 'log of Ada',
    fieldsText: '{"of":"fields of Ada"}',
  } as const
  await writeLogs(database, [{ lease, attempt: 1, lines: [line] }])
  await reportProgress(database, [{ lease, percent: 1, message: 'progress of Ada' }])
  const cause = { errorClass: 'Error', fingerprint: '0123456789abcdef' }
  await retryOrDeadLetterJobs(database, [
    { lease, error: 'error of Ada', waitMs: 60_000, permanent, ...cause },
  ])
}

const values = {
  email: 'ada@example.com',
  oldEmail: 'ada@old.example.com',
  payload: 'payload of Ada',
  metadata: 'metadata of Ada',
  oldMetadata: 'old metadata of Ada',
  idempotencyKey: 'idempotency key of Ada',
  uniqueKey: 'unique key of Ada',
  log: 'log of Ada',
  fields: 'fields of Ada',
  progress: 'progress of Ada',
  error: 'error of Ada',
}

/** A job that has everything a job can have, after each act that copies something of it. */
async function jobWithEverything(workerId: string): Promise<string> {
  const { job } = await queue.enqueue(
    mail,
    { email: values.oldEmail, text: values.payload },
    {
      runAt: later,
      metadata: { of: values.oldMetadata },
      idempotencyKey: values.idempotencyKey,
      unique: { key: values.uniqueKey, scope: 'waiting' },
    },
  )
  const { id } = job
  await queue.many.reschedule({}, { all: true, runAt: new Date(later.getTime() + 1) })
  await acts.cancel(id)
  await acts.requeue(id)
  await acts.edit(id, {
    work: { definition: mail, payload: { email: values.email, text: values.payload } },
    metadata: { of: values.metadata },
    runAt: later,
  })
  await acts.runNow(id)
  const [first] = await claim(world, workerId)
  await fail(first as ClaimedJob, false)
  await acts.runNow(id)
  const [second] = await claim(world, workerId)
  await fail(second as ClaimedJob, true)
  await carryOutAll(await acts.many.requeueDeadLetters({ kind: 'probe' }, { rate: 100_000 }))
  await carryOutAll(
    await acts.many.reschedule({ metadata: { of: values.metadata } }, { runAt: later, rate: 100_000 }),
  )
  await acts.duplicate(id)
  await carryOutAll(await acts.many.cancel({ metadata: { of: values.metadata } }, { rate: 100_000 }))
  await carryOutAll(await acts.many.requeue({ metadata: { of: values.metadata } }, { rate: 100_000 }))
  await acts.many.cancel({ key: values.email })
  await queue.requeue(id)
  await queue.edit(id, { runAt: later })
  return id
}

describe('an erasure leaves nothing of its jobs', () => {
  const limits: readonly (readonly [string, LimitTarget | undefined])[] = [
    ['without a limit', undefined],
    ['with a limit of each key', { queue: 'default', scope: 'each_key' }],
    ['with a limit of the queue', { queue: 'default', scope: 'queue' }],
  ]
  test.each(limits)('in any table, after each act that copies something: %s', async (_, limit) => {
    if (limit !== undefined) await queue.limits.set({ ...limit, maxRunning: 2 })
    const workerId = await newWorker(world)
    const id = await jobWithEverything(workerId)
    const copied = (await queue.list()).jobs.map((job) => job.id)
    expect(copied).toHaveLength(2)
    await carryOutAll(await acts.many.erase({ metadata: { of: values.metadata } }))
    await tidyUp(workerId)
    expect(await rowsWith([...Object.values(values), id, ...copied])).toEqual([])
  })

  test('among what names them in the entry of a duplicate that stays', async () => {
    const { id } = await enqueueProbe(world, { metadata: { of: 'Ada' } })
    const copy = await acts.duplicate(id)
    await queue.edit(copy.id, { metadata: null })
    await carryOutAll(await acts.many.erase({ metadata: { of: 'Ada' } }))
    expect(await rowsWith([id, 'Ada'])).toEqual([])
    expect(await queue.get(copy.id)).toMatchObject({ id: copy.id })
  })

  test('in the schedule that has made them', async () => {
    await queue.schedules.create({ name: 'nightly', definition: probe, payload: {}, everyMs: 3_600_000 })
    const { job } = await queue.schedules.runNow('nightly')
    await carryOutAll(await acts.many.erase({}, { all: true }))
    expect(await rowsWith([job.id])).toEqual([])
  })

  test('of what was written about them while it waited', async () => {
    const workerId = await newWorker(world)
    const held = await enqueueProbe(world, { delayMs: 3_600_000, metadata: { of: 'held' } })
    const edited = await enqueueProbe(world, { delayMs: 3_600_000, metadata: { of: 'Bob' } })
    const failing = await enqueueProbe(world)
    const result = await queue.many.erase({}, { all: true })
    const holder = await world.session()
    await holder.query('BEGIN')
    await holder.query('SELECT FROM queue.jobs WHERE id = $1 FOR UPDATE', [held.id])
    const carried = carryOutAll(result)
    await untilSomeoneWaitsFor(holder, await world.session())
    await queue.edit(edited.id, { metadata: { of: values.metadata } })
    const [claimed] = await claim(world, workerId)
    await fail(claimed as ClaimedJob, true)
    await holder.query('COMMIT')
    await carried
    expect((await queue.list()).jobs).toEqual([])
    expect(await rowsWith([...Object.values(values), failing.id, edited.id])).toEqual([])
  })

  test('to a copy that is made while it removes the original', async () => {
    const { id } = await enqueueProbe(world)
    const remover = await world.session()
    await remover.query('BEGIN')
    await remover.query('DELETE FROM queue.jobs WHERE id = $1', [id])
    const copied = expect(queue.duplicate(id)).rejects.toMatchObject({ code: 'job_not_found' })
    await untilSomeoneWaitsFor(remover, await world.session())
    await remover.query('COMMIT')
    await copied
    expect((await queue.list()).jobs).toEqual([])
  })
})

test('retention removes the slot of a job that was requeued', async () => {
  const unique = { key: 'u', scope: 'waiting' } as const
  const cancelled = await queue.enqueue(probe, {}, { unique })
  await queue.cancel(cancelled.job.id)
  await queue.requeue(cancelled.job.id)
  await queue.cancel(cancelled.job.id)
  const all = { succeededMs: -1_000, cancelledMs: -1_000, failedMs: -1_000, keyMs: null }
  expect(await pruneJobs(database, all, null)).toMatchObject({ pruned: 1 })
  expect(await world.sql('SELECT FROM queue.job_unique_slots')).toEqual([])
})

describe('the events of starts to come', () => {
  const events = () =>
    world.sql<{ key: string }>(`SELECT key FROM queue.lane_events WHERE due_at > now() ORDER BY key`)

  test('go where no job waits for them any more, and stay for each that does', async () => {
    const waiting = await Promise.all(
      ['moved', 'run', 'edited', 'cancelled', 'kept', 'kept'].map((key) =>
        enqueueProbe(world, { key, runAt: later, queue: key }),
      ),
    )
    const [, run, edited, cancelled] = waiting.map(({ id }) => id)
    await queue.many.reschedule({ queue: 'moved' }, { runAt: new Date(later.getTime() + 1_000) })
    await queue.runNow(run as string)
    await queue.edit(edited as string, { priority: 1 })
    await queue.cancel(cancelled as string)
    expect(await events()).toHaveLength(8)
    expect(await pruneLaneEvents(database, 0)).toEqual({ removed: 4, nextPage: 0 })
    expect(await events()).toEqual(['edited', 'kept', 'kept', 'moved'].map((key) => ({ key })))
  })

  test('go with the job, unless another one of its key waits for the same instant', async () => {
    const starting = (key: string, end: string) => probe.create({}, { key, runAt: later, metadata: { end } })
    await queue.enqueueMany([starting('a', 'kept'), starting('a', 'deleted'), starting('b', 'deleted')])
    expect(await events()).toEqual([{ key: 'a' }, { key: 'b' }])
    await carryOutAll(await queue.many.delete({ metadata: { end: 'deleted' } }))
    expect(await events()).toEqual([{ key: 'a' }])
  })
})
