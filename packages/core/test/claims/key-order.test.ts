import { afterAll, beforeEach, describe, expect, test } from '@jest/globals'
import { seeded } from '@queue/dev-postgres'
import fc from 'fast-check'
import { z } from 'zod'
import { defineJob } from '../../src/domain/job-definition.ts'
import type { ClaimedJob } from '../../src/domain/job.ts'
import { releaseJobs } from '../../src/transitions/release-jobs.ts'
import { retryOrDeadLetterJobs } from '../../src/transitions/retry-or-dead-letter-jobs.ts'
import { snoozeJobs } from '../../src/transitions/snooze-jobs.ts'
import { claim, enqueueProbe, enqueueProbes, finishAll, newWorker, probe } from '../support/builders.ts'
import { openWorld } from '../support/world.ts'

const world = await openWorld()
afterAll(() => world.close())
beforeEach(() => world.reset())

const { queue } = world

const finish = (jobs: readonly ClaimedJob[]) => finishAll(world, jobs)

describe('the order of each key', () => {
  const otherJob = defineJob({ kind: 'other', payload: z.unknown() })
  const bothKinds = ['probe', 'other']
  const orderKeys = (onRetry?: 'block' | 'continue') =>
    queue.limits.set({ queue: 'default', scope: 'each_key', ordered: { onRetry } })

  test('is priority, start and id, over all kinds, one job at a time', async () => {
    await orderKeys()
    const [a] = await enqueueProbes(world, 1, { key: 'k', priority: 5 })
    const [b] = await queue.enqueueMany([otherJob.create({}, { key: 'k', priority: 5 })])
    const [c] = await enqueueProbes(world, 1, { key: 'k', priority: 5 })
    const [d] = await queue.enqueueMany([otherJob.create({}, { key: 'k', priority: 1 })])
    const [e] = await enqueueProbes(world, 1, { key: 'k', priority: 5, runAt: new Date(Date.now() + 60_000) })
    const [elsewhere] = await enqueueProbes(world, 1, { key: 'k', priority: 5, tenantId: 't' })
    const worker = await newWorker(world)
    const started: string[] = []
    for (let n = 0; n < 12; n += 1) {
      const jobs = await claim(world, worker, { kinds: bothKinds })
      started.push(...jobs.map(({ id }) => id))
      await finish(jobs)
    }
    expect(started.filter((id) => id !== elsewhere?.id)).toEqual([d?.job.id, a?.id, b?.job.id, c?.id])
    expect(started).toContain(elsewhere?.id)
    expect(started).not.toContain(e?.id)
  })

  test('waits for a kind that its worker does not run, and continues once that job is gone', async () => {
    await orderKeys()
    const [first] = await queue.enqueueMany([otherJob.create({}, { key: 'k' })])
    await enqueueProbe(world, { key: 'k' })
    const worker = await newWorker(world)
    for (let n = 0; n < 3; n += 1) expect(await claim(world, worker)).toEqual([])
    await queue.cancel(first?.job.id ?? '')
    expect(await claim(world, worker)).toHaveLength(1)
  })

  test.each([
    ['block', []],
    ['continue', ['second']],
  ] as const)('where a job is retried: %s', async (onRetry, meanwhile) => {
    await orderKeys(onRetry)
    const first = await enqueueProbe(world, { key: 'k' })
    const second = await enqueueProbe(world, { key: 'k', priority: 1, delayMs: 1 })
    const worker = await newWorker(world)
    const [job] = (await claim(world, worker)) as [ClaimedJob]
    await retryOrDeadLetterJobs(world.database, [
      { lease: job.lease, error: 'e', waitMs: 3_600_000, permanent: false },
    ])
    const begun = [...(await claim(world, worker)), ...(await claim(world, worker))]
    const names = new Map([[second.id, 'second']])
    if (job.id === first.id) expect(begun.map(({ id }) => names.get(id))).toEqual(meanwhile)
    await finish(begun)
    await queue.runNow(job.id)
    expect(await claim(world, worker)).toMatchObject([{ id: job.id, attempt: 2 }])
  })

  test('is held by the job that started last until it is gone, by any act', async () => {
    await orderKeys()
    const worker = await newWorker(world)
    const begin = async (): Promise<ClaimedJob> => {
      const [job] = (await claim(world, worker)) as [ClaimedJob]
      await retryOrDeadLetterJobs(world.database, [
        { lease: job.lease, error: 'e', waitMs: 3_600_000, permanent: false },
      ])
      expect(await claim(world, worker)).toEqual([])
      return job
    }
    await enqueueProbes(world, 4, { key: 'k' })
    await queue.cancel((await begin()).id)
    await world.sql('SELECT queue.cancel($1)', [(await begin()).id])
    const moved = await begin()
    await world.sql(`UPDATE queue.jobs SET run_at = run_at - interval '2 hours' WHERE id = $1`, [moved.id])
    await queue.edit(moved.id, { priority: 9 })
    expect(await claim(world, worker)).toMatchObject([{ id: moved.id, priority: 9 }])
    expect(await claim(world, worker)).toEqual([])
  })

  test('holds for what has committed, whatever happens to jobs in between', async () => {
    const choices = fc.noBias(fc.array(fc.nat(9_999), { minLength: 300, maxLength: 300 }))
    const property = fc.asyncProperty(
      fc.constantFrom('block' as const, 'continue' as const),
      choices,
      randomActs,
    )
    await fc.assert(property, seeded('orders of keys', { numRuns: 2, endOnFailure: true }))
  })

  interface Row {
    readonly id: string
    readonly key: string
    readonly kind: string
    readonly status: string
    readonly is_due: boolean
  }

  /** The job of each key that may start now, computed from all jobs in their order. */
  async function readNextOfKeys(onRetry: 'block' | 'continue'): Promise<readonly Row[]> {
    const rows =
      await world.sql<Row>(`SELECT id, key, kind, status::text, run_at <= clock_timestamp() AS is_due
      FROM queue.all_jobs WHERE finished_at IS NULL ORDER BY priority, run_at, id`)
    return [...Map.groupBy(rows, ({ key }) => key).values()].flatMap((jobs) => {
      if (jobs.some(({ status }) => status === 'running')) return []
      const retrying = onRetry === 'block' ? jobs.find(({ status }) => status === 'retrying') : undefined
      const first = retrying ?? jobs.find((job) => job.is_due)
      return first?.is_due === true ? [first] : []
    })
  }

  async function randomActs(onRetry: 'block' | 'continue', choices: readonly number[]): Promise<void> {
    const choicesLeft = choices.values()
    const pick = <Item>(items: readonly Item[]): Item | undefined =>
      items[(choicesLeft.next().value ?? 0) % items.length]
    await world.reset()
    await orderKeys(onRetry)
    const workers = await Promise.all(
      [['probe'], ['other'], bothKinds].map(async (kinds) => ({ kinds, id: await newWorker(world) })),
    )
    let running: ClaimedJob[] = []
    const endOne = async (end: (job: ClaimedJob) => Promise<unknown>): Promise<void> => {
      const job = pick(running)
      running = running.filter((other) => other !== job)
      if (job !== undefined) await end(job)
    }
    const pickWaitingId = async (): Promise<string> => {
      const rows = await world.sql<Row>(
        `SELECT id FROM queue.all_jobs WHERE status IN ('queued', 'retrying')`,
      )
      return pick(rows)?.id ?? ''
    }
    const retry =
      (waitMs: number) =>
      async ({ lease }: ClaimedJob) => {
        await retryOrDeadLetterJobs(world.database, [{ lease, error: 'e', waitMs, permanent: false }])
      }
    const enqueue = async (): Promise<void> => {
      const options = {
        key: pick(['a', 'b', 'c']) ?? '',
        priority: pick([1, 4, 4, 7]) ?? 4,
        delayMs: pick([0, 0, 0, 3_600_000]) ?? 0,
        maxAttempts: 50,
      }
      await queue.enqueueMany([(pick([otherJob, probe]) ?? probe).create({}, options)])
    }
    const acts = [
      enqueue,
      enqueue,
      enqueue,
      () => endOne((job) => finish([job])),
      () => endOne((job) => finish([job])),
      () => endOne(retry(0)),
      () => endOne(retry(3_600_000)),
      () => endOne(({ lease }) => snoozeJobs(world.database, [{ lease, waitMs: 3_600_000 }])),
      () => endOne(({ lease }) => releaseJobs(world.database, [lease])),
      async () => {
        const id = await pickWaitingId()
        if (id !== '') await queue.cancel(id)
      },
      async () => {
        const id = await pickWaitingId()
        const change =
          pick([true, false]) === true
            ? { priority: pick([1, 4, 7]) ?? 4 }
            : { runAt: new Date(Date.now() + (pick([0, 3_600_000]) ?? 0)) }
        if (id !== '') await queue.edit(id, change)
      },
      async () => {
        const id = await pickWaitingId()
        if (id !== '') await queue.runNow(id)
      },
      async () => {
        await world.sql(
          `UPDATE queue.jobs SET run_at = run_at - interval '2 hours' WHERE finished_at IS NULL`,
        )
        await world.sql(`UPDATE queue.lane_events SET due_at = due_at - interval '2 hours'`)
        await world.sql(`UPDATE queue.lanes SET head_at = head_at - interval '2 hours'`)
      },
    ]
    for (let step = 0; step < 40; step += 1) {
      await pick(acts)?.()
      for (let attempt = 0; attempt < 5; attempt += 1) {
        const mayStart = new Set((await readNextOfKeys(onRetry)).map(({ id }) => id))
        const { id, kinds } = (attempt < 3 ? pick(workers) : workers[2]) ?? { id: '', kinds: bothKinds }
        const started = await claim(world, id, { kinds })
        expect(started.filter((job) => !mayStart.has(job.id))).toEqual([])
        running.push(...started)
      }
      expect(await readNextOfKeys(onRetry)).toEqual([])
    }
  }
})
