import { setTimeout as wait } from 'node:timers/promises'
import type { LimitRule } from '@queue/core'
import { type ClaimedJob, ClaimMemory } from '@queue/core/internal'
import { chaosJob } from '../fleet/chaos-job.ts'
import type { Case, Harness } from './harness.ts'

/** Cases of jobs with a key, and of jobs in queues with limits. */
export const laneCases: Readonly<Record<string, Case>> = {
  'jobs of a key wait behind its limit': (harness) =>
    withJobsBehindLimit(harness, { scope: 'each_key', maxRunning: 2 }, async ({ claim, finish }) => {
      await expectOneFreedPlace(harness, { claim, finish }, 'a key')
    }),

  'jobs without a key wait behind the limit of their queue': (harness) =>
    withJobsBehindLimit(harness, { scope: 'queue', maxRunning: 2 }, async ({ claim, finish }) => {
      await expectOneFreedPlace(harness, { claim, finish }, 'a queue')
    }),

  'a limit is set while as many run': async (harness) => {
    const queue = harness.openQueue()
    await enqueue(harness, queue, { count: 4, hasKey: true })
    const worker = await harness.addWorker(queue)
    const running = await harness.claim(worker, queue, 2)
    await harness.queue.limits.set({ queue, scope: 'each_key', maxRunning: 2 })
    // The first claim creates a missing counter.
    const more = [...(await harness.claim(worker, queue)), ...(await harness.claim(worker, queue))]
    harness.expectAnswer('a limit has not counted what ran before it', more.length === 0)
    await harness.finish([...running, ...more])
    await harness.queue.limits.delete({ queue, scope: 'each_key' })
  },

  'a job with a key is retried, and one is put off by a rate': (harness) =>
    withJobsBehindLimit(
      harness,
      { scope: 'each_key', rate: { count: 1, perMs: 86_400_000, burst: 3 } },
      async (line) => {
        const jobs = await line.claim()
        harness.expectAnswer('a claim took more than a rate allows', jobs.length === 3)
        harness.expectAnswer('a claim took more than a rate has left', (await line.claim()).length === 0)
        await harness.queue.limits.delete({ queue: line.queue, scope: 'each_key' })
        const remaining = await line.claim()
        await harness.fail([...jobs, ...remaining])
        const reclaimed = await eventuallyClaimed(line, 4)
        harness.expectAnswer(
          'a job with a key that was retried was not claimed again',
          reclaimed.length === 4,
        )
        await line.finish(reclaimed)
      },
    ),

  'a key is paused, and then its queue': (harness) =>
    withJobsBehindLimit(
      harness,
      { scope: 'key', name: 'key', maxRunning: 5, paused: true },
      async ({ queue, claim, finish }) => {
        const first = await claim()
        harness.expectAnswer('a paused key was claimed from', first.length === 0)
        await harness.queue.limits.delete({ queue, scope: 'key', name: 'key' })
        await harness.queue.pause(queue)
        const second = await claim()
        harness.expectAnswer('a paused queue was claimed from', second.length === 0)
        await harness.queue.resume(queue)
        await finish([...first, ...second])
      },
    ),

  'a worker without a lease asks for jobs with a key': async (harness) => {
    const queue = harness.openQueue()
    await enqueue(harness, queue, { count: 2, hasKey: true })
    const worker = await harness.addWorker(queue)
    await harness.expire(worker)
    const jobs = await harness.claim(worker, queue)
    harness.expectAnswer('a worker whose lease had expired was given jobs', jobs.length === 0)
    await harness.finish(jobs)
  },

  'a worker claims on and on from a key, and jobs come': async (harness) => {
    const queue = harness.openQueue()
    const worker = await harness.addWorker(queue)
    const memory = new ClaimMemory([queue])
    for (let tries = 0; tries < 3; tries += 1) {
      await enqueue(harness, queue, { count: 2, hasKey: true })
      const jobs = await harness.claim(worker, memory, 1)
      jobs.push(...(await harness.claim(worker, memory, 1)))
      harness.expectAnswer('a job that came after a claim was passed over by the next', jobs.length === 2)
      await harness.finish(jobs)
    }
  },

  'a worker claims on and on from a queue with a limit, and jobs without a key come': (harness) =>
    withKindLimit(harness, { name: 'another', maxRunning: 1 }, async ({ queue, worker, memory }) => {
      for (let tries = 0; tries < 3; tries += 1) {
        await enqueue(harness, queue, { count: 2, hasKey: false })
        const jobs = await harness.claim(worker, memory)
        harness.expectAnswer('a job without a key was passed over by the next claim', jobs.length === 2)
        await harness.finish(jobs)
      }
    }),

  'the limit of a kind is deleted, of which a worker has passed over jobs': (harness) =>
    withKindLimit(harness, { name: chaosJob.kind, paused: true }, async ({ queue, worker, memory }) => {
      await harness.queue.limits.set({ queue, scope: 'queue', maxRunning: 9 })
      await enqueue(harness, queue, { count: 2, hasKey: false })
      await harness.unmutated.pool.query(
        `UPDATE queue.jobs SET run_at = run_at - interval '1 hour' WHERE queue = $1`,
        [queue],
      )
      const before = await harness.claim(worker, memory)
      await harness.queue.limits.delete({ queue, scope: 'kind', name: chaosJob.kind })
      const after = await harness.claim(worker, memory)
      const isCorrect = before.length === 0 && after.length === 2
      harness.expectAnswer('jobs were passed over that no limit holds back any more', isCorrect)
      await harness.finish([...before, ...after])
    }),

  'a job without a tenant waits behind those of one, in a queue that is fair': async (harness) => {
    const queue = harness.openQueue()
    await harness.queue.limits.set({ queue, scope: 'queue', fairBy: 'tenant' })
    await harness.enqueue(queue, { plan: 'succeed', count: 20, options: { tenantId: 'acme' } })
    const [job] = await enqueue(harness, queue, { count: 1, hasKey: false })
    const worker = await harness.addWorker(queue)
    const started: ClaimedJob[] = []
    for (let claims = 0; claims < 4; claims += 1) started.push(...(await harness.claim(worker, queue, 2)))
    const isServed = started.some(({ id }) => id === job?.id)
    harness.expectAnswer('a job without a tenant has had no turn', isServed)
    await harness.finish(started)
    await harness.queue.limits.delete({ queue, scope: 'queue' })
  },

  'jobs of several keys wait behind the limit of their queue': (harness) =>
    withJobsBehindLimit(harness, { scope: 'queue', maxRunning: 2 }, async ({ queue, claim, finish }) => {
      for (const key of ['a', 'b', 'c', 'd'])
        await harness.enqueue(queue, { plan: 'succeed', count: 1, options: { key } })
      let claimedCount = 0
      for (let claims = 0; claims < 20; claims += 1) {
        const jobs = await claim()
        claimedCount += jobs.length
        await finish(jobs)
      }
      harness.expectAnswer('a job that a queue had no room for was lost', claimedCount === 8)
    }),

  'a claim meets a counter that another one holds': (harness) => withHeldRow(harness, 'queue.limit_counters'),

  'a claim meets a lane that another one holds': (harness) => withHeldRow(harness, 'queue.lanes'),
}

/** Sets a limit on a kind in a new queue, and runs `act` with a worker and the memory of its claims. */
async function withKindLimit(
  harness: Harness,
  limit: Pick<LimitRule, 'name' | 'maxRunning' | 'paused'>,
  act: (setup: {
    readonly queue: string
    readonly worker: string
    readonly memory: ClaimMemory
  }) => Promise<void>,
): Promise<void> {
  const queue = harness.openQueue()
  await harness.queue.limits.set({ queue, scope: 'kind', ...limit })
  await act({ queue, worker: await harness.addWorker(queue), memory: new ClaimMemory([queue]) })
}

interface LimitedQueue {
  readonly queue: string
  claim(): Promise<ClaimedJob[]>
  finish(jobs: readonly ClaimedJob[]): Promise<unknown>
}

/** Runs `act` with four jobs behind a limit, in a new queue. */
async function withJobsBehindLimit(
  harness: Harness,
  rule: Omit<LimitRule, 'queue'>,
  act: (line: LimitedQueue) => Promise<void>,
): Promise<void> {
  const queue = harness.openQueue()
  await harness.queue.limits.set({ queue, ...rule })
  try {
    await enqueue(harness, queue, { count: 4, hasKey: rule.scope !== 'queue' })
    const worker = await harness.addWorker(queue)
    await act({ queue, claim: () => harness.claim(worker, queue), finish: (jobs) => harness.finish(jobs) })
  } finally {
    await harness.queue.limits.delete({ queue, scope: rule.scope, name: rule.name }).catch(() => undefined)
  }
}

/** Enqueues jobs with the key `key`, or without a key. */
function enqueue(
  harness: Harness,
  queue: string,
  jobs: { readonly count: number; readonly hasKey: boolean },
) {
  const options = jobs.hasKey ? { key: 'key' } : {}
  return harness.enqueue(queue, { plan: 'succeed', count: jobs.count, options })
}

/** Expects that two jobs run at a time, and that each end frees one place. */
async function expectOneFreedPlace(
  harness: Harness,
  { claim, finish }: Pick<LimitedQueue, 'claim' | 'finish'>,
  owner: string,
): Promise<void> {
  const first = await claim()
  harness.expectAnswer(`a claim took more than the limit of ${owner} allows`, first.length === 2)
  const beyond = await claim()
  harness.expectAnswer(`a claim took more than the limit of ${owner} leaves`, beyond.length === 0)
  await finish([...first.slice(0, 1), ...beyond])
  const second = await claim()
  harness.expectAnswer(`one end has not left one place under the limit of ${owner}`, second.length === 1)
  await finish([...first.slice(1), ...second])
  await finish(await claim())
}

/** Frees a place, and claims while a row of `table` about it is locked. The next claim must find the place. */
async function withHeldRow(harness: Harness, table: string): Promise<void> {
  await withJobsBehindLimit(
    harness,
    { scope: 'each_key', maxRunning: 1 },
    async ({ queue, claim, finish }) => {
      await finish(await claim())
      const holder = await harness.unmutated.pool.connect()
      try {
        await finish(await claim())
        await holder.query('BEGIN')
        await holder.query(`SELECT FROM ${table} WHERE queue = $1 FOR UPDATE`, [queue])
        const meanwhile = await claim()
        await holder.query('COMMIT')
        const next = meanwhile.length > 0 ? meanwhile : await claim()
        harness.expectAnswer('a place that was freed while a claim was held up was lost', next.length === 1)
        await finish(next)
      } finally {
        holder.release(true)
      }
    },
  )
}

/** Claims until there are `count` jobs, because retries become due some milliseconds later. */
async function eventuallyClaimed(
  { claim }: Pick<LimitedQueue, 'claim'>,
  count: number,
): Promise<ClaimedJob[]> {
  const jobs: ClaimedJob[] = []
  for (let tries = 0; tries < 20 && jobs.length < count; tries += 1) {
    jobs.push(...(await claim()))
    if (jobs.length < count) await wait(20)
  }
  return jobs
}
