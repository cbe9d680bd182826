import {
  createQueue,
  defineJob,
  InvalidTransition,
  type JobOptions,
  type PgClient,
  QueueError,
  scopeQueue,
} from '@queue/core'
import {
  cancelRunningJobs,
  type ClaimedJob,
  expireJobs,
  finishJobs,
  listOwnLeases,
  pruneJobs,
  recoverJobs,
  releaseJobs,
  returnUnstartedJobs,
  snoozeJobs,
  stopWorker,
  takeRequests,
  databaseOf,
} from '@queue/core/internal'
import { chaosJob, type Plan } from '../fleet/chaos-job.ts'
import { duringRecovery, settledOrWaiting, settlesWithin } from './interleave.ts'
import { type Case, patientTiming, type Harness } from './harness.ts'
import { fullQueueCases } from './full-queue-cases.ts'
import { laneCases } from './lane-cases.ts'
import { operationCases } from './operation-cases.ts'
import { scheduleCases } from './schedule-cases.ts'
import { weightCases } from './weight-cases.ts'

const hourMs = 3_600_000

/** Every case, by its name. */
export const cases: Readonly<Record<string, Case>> = {
  ...scheduleCases,
  ...laneCases,
  ...weightCases,
  ...fullQueueCases,
  ...operationCases,

  'an enqueue is given a client that is in no transaction': async (harness) => {
    const { pool } = databaseOf(harness.queue)
    const client = await pool.connect()
    try {
      // The only thing known about such a client is that it sends statements.
      const transaction: PgClient = { query: client.query.bind(client) }
      const payload = { key: 'outside', plan: 'succeed' as const, ms: 0 }
      const answer = harness.queue.enqueue(chaosJob, payload, { queue: harness.openQueue(), transaction })
      const refused = await answer.then(
        () => false,
        (error: unknown) => error instanceof QueueError && error.code === 'invalid_options',
      )
      harness.expectAnswer('an enqueue was written outside of the transaction that it was given', refused)
    } finally {
      client.release()
    }
  },

  'a unique key is wanted while its job runs': async (harness) => {
    const unique = { key: 'running', scope: 'live', onConflict: 'refuse' } as const
    const { queue, jobs } = await claimed(harness, 1, { options: { unique } })
    const payload = { key: 'another', plan: 'succeed' as const, ms: 0 }
    const refused = await harness.queue.enqueue(chaosJob, payload, { queue, unique }).then(
      () => false,
      (error: unknown) => error instanceof QueueError && error.code === 'unique_conflict',
    )
    harness.expectAnswer('two live jobs were given one unique key', refused)
    await harness.finish(jobs)
  },

  'a worker meets a job of a version that it cannot run': async (harness) => {
    const queue = harness.openQueue()
    const newer = defineJob({ kind: chaosJob.kind, version: 2, payload: chaosJob.payload })
    await harness.queue.enqueue(newer, { key: 'newer', plan: 'succeed', ms: 0 }, { queue })
    const claimedJobs = await harness.claim(await harness.addWorker(queue), queue)
    harness.expectAnswer('a worker was given a version that it cannot run', claimedJobs.length === 0)
    // No other worker can run it either.
    await harness.unmutated.pool.query('DELETE FROM queue.jobs WHERE queue = $1', [queue])
  },

  'a key is given again after the retention of its job': async (harness) => {
    const { queue, database, unmutated } = harness
    const options = { queue: harness.openQueue() }
    const request = (key: string, more: JobOptions = {}) =>
      chaosJob.create({ key, plan: 'succeed', ms: 0 }, { ...options, ...more })
    // Retention starts after the first of the two, so that it does not touch the jobs of other cases.
    const keyed = request('receipt', { idempotencyKey: options.queue })
    const enqueued = await queue.enqueueMany([request('before the receipt'), keyed])
    const ids = enqueued.map(({ job }) => job.id)
    for (const id of ids) await queue.cancel(id)
    const retention = { succeededMs: null, cancelledMs: -hourMs, failedMs: null, keyMs: hourMs }
    await pruneJobs(database, retention, ids[0] ?? null)
    const [repeated] = await queue.enqueueMany([keyed])
    harness.expectAnswer(
      'a key that should have been remembered made a second job',
      repeated?.job.id === ids[1],
    )
    // The checker needs the payload of each job, which the receipt has lost.
    await unmutated.pool.query('DELETE FROM queue.jobs WHERE queue = $1', [options.queue])
  },

  'live workers meet a recovery': async (harness) => {
    const { jobs } = await claimed(harness, 5)
    await harness.recover()
    await harness.finish(jobs)
  },

  'a stale worker finishes while another one runs its job': async (harness) => {
    const { queue, staleJobs } = await withStaleWorker(harness)
    const reclaimed = await harness.claim(await harness.addWorker(queue), queue)
    const completions = await harness.finish(staleJobs)
    const refused = completions.every(({ outcome }) => outcome === 'lease_lost')
    harness.expectAnswer('a stale worker was told that it has finished', refused)
    await harness.finish(reclaimed)
  },

  'a stale worker finishes while its job waits': async (harness) => {
    const { staleJobs } = await withStaleWorker(harness)
    await harness.finish(staleJobs)
  },

  'a stale worker fails after its job has ended': async (harness) => {
    const { queue, staleJobs } = await withStaleWorker(harness)
    await harness.finish(await harness.claim(await harness.addWorker(queue), queue))
    await harness.fail(staleJobs)
  },

  'a stale worker commits a transaction': async (harness) => {
    const { staleJobs } = await withStaleWorker(harness)
    for (const staleJob of staleJobs) await harness.transact(staleJob)
  },

  'a transaction comes after its attempt has ended in another way': async (harness) => {
    const { jobs } = await claimed(harness, 2, { plan: 'transact_late' })
    await harness.finish(jobs)
    for (const job of jobs) {
      const outcome = await harness.transact(job)
      harness.expectAnswer(
        'a transaction took an earlier end of its attempt for its own',
        outcome === 'lease_lost',
      )
    }
  },

  'a transaction ends its job': async (harness) => {
    const { jobs } = await claimed(harness, 2, { plan: 'transact' })
    for (const job of jobs) await harness.transact(job)
  },

  'a finish whose reply was lost is sent again': async (harness) => {
    const { jobs } = await claimed(harness, 3)
    await harness.finish(jobs)
    const repeated = await finishJobs(harness.database, jobs.map(bareFinish))
    const isRecorded = repeated.every(({ outcome }) => outcome === 'finished')
    harness.expectAnswer('a finish that was sent again was not told that it is recorded', isRecorded)
  },

  'a recovery meets a finish in flight': async (harness) => {
    const { worker, jobs } = await claimed(harness, 1)
    await harness.expire(worker)
    const recovering = await databaseOf(harness.queue).transaction(async (database) => {
      await harness.finish(jobs, database)
      return { done: await inFlight(harness, recoverJobs(harness.database)) }
    })
    await recovering.done()
  },

  'a finish meets a recovery in flight': async (harness) => {
    const { worker, jobs } = await claimed(harness, 1)
    await harness.expire(worker)
    const finishing = await databaseOf(harness.queue).transaction(async (database) => {
      await recoverJobs(database)
      return { done: await inFlight(harness, harness.finish(jobs)) }
    })
    await finishing.done()
  },

  'a return meets a recovery in flight': async (harness) => {
    const { worker, jobs } = await claimed(harness, 1)
    await harness.expire(worker)
    const leases = jobs.map(({ lease }) => lease)
    const returning = await databaseOf(harness.queue).transaction(async (database) => {
      await recoverJobs(database)
      return { done: await inFlight(harness, returnUnstartedJobs(harness.database, leases)) }
    })
    await returning.done()
  },

  'a job is finished in the midst of a recovery': async (harness) => {
    const { worker, jobs } = await claimed(harness, 2)
    await stopWorker(harness.database, worker)
    await duringRecovery(harness, async () => void (await harness.finish(jobs)))
  },

  'a job is recovered and claimed anew in the midst of a recovery': async (harness) => {
    const { queue, worker } = await claimed(harness, 2)
    await stopWorker(harness.database, worker)
    let reclaimed: ClaimedJob[] = []
    await duringRecovery(harness, async () => {
      await harness.recover()
      await harness.makeDue(queue)
      reclaimed = await harness.claim(await harness.addWorker(queue), queue)
    })
    await harness.finish(reclaimed)
  },

  'two claims meet a row that somebody else has locked': async (harness) => {
    const queue = harness.openQueue()
    const [first] = await harness.enqueue(queue, { plan: 'succeed', count: 4 })
    const holder = await harness.unmutated.pool.connect()
    try {
      await holder.query('BEGIN')
      await holder.query('SELECT FROM queue.jobs WHERE id = $1 FOR UPDATE', [first?.id])
      const workers = [await harness.addWorker(queue), await harness.addWorker(queue)]
      const claims = workers.map((worker) => harness.claim(worker, queue))
      const answered = await settledOrWaiting(harness, claims)
      harness.expectAnswer('a claim waited for a row that somebody else has locked', answered)
      await holder.query('COMMIT')
      for (const claim of claims) await harness.finish(await claim)
    } finally {
      holder.release(true)
    }
  },

  'a claim waits behind a lock until its caller has given it up': async (harness) => {
    const queue = harness.openQueue()
    await harness.enqueue(queue, { plan: 'succeed', count: 2 })
    const worker = await harness.addWorker(queue)
    const shortTiming = { answerWithinMs: 1, clock: { nowMs: () => undefined } }
    await behindLock(harness, {
      act: () => harness.claimWithoutAnswer(worker, queue, shortTiming),
      meanwhile: 'SELECT pg_sleep(0.01)',
    })
  },

  'a claim is on its way until its caller has given it up': async (harness) => {
    const queue = harness.openQueue()
    await harness.enqueue(queue, { plan: 'succeed', count: 2 })
    const worker = await harness.addWorker(queue)
    const { rows: measured } = await harness.unmutated.pool.query<{ ms: number }>(
      `SELECT extract(epoch FROM now() - interval '1 minute')::float8 * 1000 AS ms`,
    )
    await harness.claimWithoutAnswer(worker, queue, {
      answerWithinMs: 10_000,
      clock: { nowMs: () => measured[0]?.ms },
    })
  },

  'the jobs of a claim whose reply was lost are looked for an hour later': async (harness) => {
    const queue = harness.openQueue()
    await harness.enqueue(queue, { plan: 'succeed', count: 2 })
    const worker = await harness.addWorker(queue)
    await harness.claimWithoutAnswer(worker, queue, patientTiming)
    await harness.unmutated.pool.query(
      `UPDATE queue.jobs SET locked_at = locked_at - interval '1 hour' WHERE locked_by = $1`,
      [worker],
    )
    const everything = { fromAgeMs: 0, toAgeMs: Number.POSITIVE_INFINITY }
    const { leases } = await listOwnLeases(harness.database, { workerId: worker, ...everything })
    await returnUnstartedJobs(harness.database, leases)
  },

  'a worker loses its lease while its claim waits behind a lock': async (harness) => {
    const queue = harness.openQueue()
    await harness.enqueue(queue, { plan: 'succeed', count: 2 })
    const worker = await harness.addWorker(queue)
    const jobs = await behindLock(harness, {
      act: () => harness.claim(worker, queue),
      meanwhile: `UPDATE queue.workers SET lease_expires_at = clock_timestamp() WHERE id = '${worker}'`,
    })
    harness.expectAnswer('a worker whose lease ran out behind a lock was given jobs', jobs.length === 0)
  },

  'statements are given up behind a lock, one after another': async (harness) => {
    const max = 2
    const name = 'cramped'
    const pool = harness.openPool({ max, name })
    const queue = createQueue({ pool, queryTimeoutMs: 100 })
    const holder = await harness.unmutated.pool.connect()
    try {
      await holder.query('BEGIN; LOCK TABLE queue.jobs IN ACCESS EXCLUSIVE MODE')
      for (let round = 0; round < 3; round += 1)
        await Promise.allSettled(Array.from({ length: max }, () => queue.list()))
      const isWithin = await settlesWithin(harness, { name, max })
      harness.expectAnswer('a pool had more connections than its maximum, for as long as a lock', isWithin)
      await holder.query('COMMIT')
    } finally {
      holder.release(true)
      await pool.end()
    }
  },

  'a worker without a lease asks for jobs': async (harness) => {
    const queue = harness.openQueue()
    await harness.enqueue(queue, { plan: 'succeed', count: 2 })
    const worker = await harness.addWorker(queue)
    await harness.expire(worker)
    const jobs = await harness.claim(worker, queue)
    harness.expectAnswer('a worker whose lease had expired was given jobs', jobs.length === 0)
  },

  'a tenant asks for the job of another': async (harness) => {
    const queue = harness.openQueue()
    const [job] = await harness.enqueue(queue, { plan: 'succeed', count: 1, options: { tenantId: 'evil' } })
    const id = job?.id ?? ''
    const acmeQueue = scopeQueue(harness.queue, { tenantId: 'acme' })
    harness.expectAnswer('a tenant was shown the job of another', (await acmeQueue.get(id)) === undefined)
    const isHidden = await isNotFound(acmeQueue.cancel(id))
    harness.expectAnswer('a tenant cancelled the job of another', isHidden)
    const ownJob = await scopeQueue(harness.queue, { tenantId: 'evil' }).get(id)
    harness.expectAnswer('a tenant was not shown its own job', ownJob?.id === id)
  },

  'somebody cancels a job': async (harness) => {
    const [job] = await harness.enqueue(harness.openQueue(), { plan: 'succeed', count: 1 })
    const id = job?.id ?? ''
    await harness.queue.actAs({ type: 'key', id: 'somebody' }).cancel(id)
    const { rows } = await harness.unmutated.pool.query(
      `SELECT FROM queue.audit_log WHERE act = 'job.cancel' AND actor = 'somebody' AND job_ids = ARRAY[$1::uuid]`,
      [id],
    )
    harness.expectAnswer('an act of somebody has left no entry that names its job', rows.length === 1)
  },

  'a key is used beyond its rate': async (harness) => {
    const rate = { count: 1, perSeconds: 86_400, burst: 5 }
    const request = { rate, wanted: 3, returned: 0 }
    const granted: number[] = []
    for (let n = 0; n < 3; n += 1) {
      granted.push((await takeRequests(harness.database, 'the-key', request)).granted)
    }
    harness.expectAnswer('a key was given more than its bucket had', String(granted) === '3,2,0')
  },

  'a queue is paused': async (harness) => {
    const queue = harness.openQueue()
    await harness.enqueue(queue, { plan: 'succeed', count: 2 })
    const worker = await harness.addWorker(queue)
    await harness.queue.pause(queue)
    const jobs = await harness.claim(worker, queue)
    harness.expectAnswer('a paused queue was claimed from', jobs.length === 0)
    await harness.queue.resume(queue)
    await harness.finish(jobs)
  },

  'two queues of one priority have more than a claim takes': async (harness) => {
    const queues = [harness.openQueue(), harness.openQueue()]
    for (const queue of queues) await harness.enqueue(queue, { plan: 'succeed', count: 4 })
    const [worker] = await Promise.all(queues.map((queue) => harness.addWorker(queue)))
    const jobs = await harness.claim(worker ?? '', queues, 4)
    const shares = queues.map((name) => jobs.filter(({ queue }) => queue === name).length)
    harness.expectAnswer(
      'a claim gave one queue the share of another',
      shares.every((share) => share === 2),
    )
    await harness.finish(jobs)
  },

  'a job has its time to come': async (harness) => {
    const queue = harness.openQueue()
    const options = { delayMs: 3_600_000 }
    const jobs = await harness.enqueue(queue, { plan: 'succeed', count: 2, options })
    await harness.finish(await harness.claim(await harness.addWorker(queue), queue))
    for (const job of jobs) await harness.client.cancel(job)
  },

  'a worker is lost with the last attempt': async (harness) => {
    const { worker } = await claimed(harness, 2, { options: { maxAttempts: 1 } })
    await harness.expire(worker)
    await harness.recover()
  },

  'a worker is lost whose job is to be cancelled': async (harness) => {
    const { worker, enqueued } = await claimed(harness, 2)
    for (const job of enqueued) await harness.client.cancel(job)
    await harness.expire(worker)
    await harness.recover()
  },

  'a job that is to be cancelled fails': async (harness) => {
    const { enqueued, jobs } = await claimed(harness, 2, { plan: 'fail_always' })
    for (const job of enqueued) await harness.client.cancel(job)
    await harness.fail(jobs)
  },

  'a cancel is observed, and another one is not': async (harness) => {
    const { enqueued, jobs } = await claimed(harness, 2)
    for (const job of enqueued) await harness.client.cancel(job)
    const [observed, finished] = jobs
    if (observed !== undefined) await cancelRunningJobs(harness.database, [observed.lease])
    if (finished !== undefined) await harness.finish([finished])
  },

  'a job that has succeeded is cancelled, and requeued': async (harness) => {
    const { enqueued, jobs } = await claimed(harness, 2)
    await harness.finish(jobs)
    const [cancelled, requeued] = enqueued
    if (cancelled !== undefined) await harness.client.cancel(cancelled)
    const refusal = await harness.queue.requeue(requeued?.id ?? '').catch((error: unknown) => error)
    harness.expectAnswer('a job that had succeeded was requeued', refusal instanceof InvalidTransition)
  },

  'a job that has succeeded, and that keeps its unique key, is cancelled and requeued': async (harness) => {
    const unique = { key: 'kept', scope: 'live', onConflict: 'refuse' } as const
    const { enqueued, jobs } = await claimed(harness, 1, { options: { unique } })
    await harness.finish(jobs)
    const [kept] = enqueued
    if (kept !== undefined) await harness.client.cancel(kept)
    const refusal = await harness.queue.requeue(kept?.id ?? '').catch((error: unknown) => error)
    harness.expectAnswer('a job that had succeeded was requeued', refusal instanceof InvalidTransition)
  },

  'jobs fail to their end, and are requeued': async (harness) => {
    const { queue, enqueued, jobs } = await claimed(harness, 2, {
      plan: 'fail_always',
      options: { maxAttempts: 2 },
    })
    await harness.fail(jobs)
    await harness.drainQueue(queue)
    const [byJob, byDeadLetter] = enqueued
    await harness.queue.requeue(byJob?.id ?? '')
    const { deadLetters } = await harness.queue.deadLetters.list({})
    const deadLetter = deadLetters.find(({ jobId }) => jobId === byDeadLetter?.id)
    await harness.queue.deadLetters.requeue(deadLetter?.id ?? '')
  },

  'a job that has failed for good succeeds in its next life': async (harness) => {
    const { queue, enqueued, jobs } = await claimed(harness, 1, {
      plan: 'fail_once',
      options: { maxAttempts: 1 },
    })
    await harness.fail(jobs)
    for (const { id } of enqueued) await harness.queue.requeue(id)
    await harness.drainQueue(queue)
  },

  'jobs expire before they have begun': async (harness) => {
    const queue = harness.openQueue()
    const enqueued = await harness.enqueue(queue, { plan: 'succeed', count: 2, options: { expiresInMs } })
    await letExpire(harness, queue)
    const begun = await harness.claim(await harness.addWorker(queue), queue)
    harness.expectAnswer('a job began after its expiry', begun.length === 0)
    await harness.finish(begun)
    const expired = await expireJobs(harness.database)
    for (const { id } of expired) await harness.queue.requeue(id, { expiresInMs })
    harness.expectAnswer('an expiry was forgotten', begun.length + expired.length === enqueued.length)
  },

  'a job that has begun outlives its expiry': async (harness) => {
    const { queue, worker, jobs } = await claimed(harness, 1, { options: { expiresInMs } })
    await letExpire(harness, queue)
    await snoozeJobs(
      harness.database,
      jobs.map(({ lease }) => ({ lease, waitMs: 0 })),
    )
    await harness.makeDue(queue)
    const reclaimed = await harness.claim(worker, queue)
    await returnUnstartedJobs(
      harness.database,
      reclaimed.map(({ lease }) => lease),
    )
    const expired = await expireJobs(harness.database)
    harness.expectAnswer('a job that had begun was cancelled as expired', expired.length === 0)
    for (const { id } of expired) await harness.queue.requeue(id, { expiresInMs })
  },

  'jobs are put off, released and returned unstarted': async (harness) => {
    const { jobs } = await claimed(harness, 3)
    const [snoozed, released, returned] = jobs.map(({ lease }) => lease)
    if (snoozed !== undefined) await snoozeJobs(harness.database, [{ lease: snoozed, waitMs: 0 }])
    if (released !== undefined) await releaseJobs(harness.database, [released])
    if (returned !== undefined) await returnUnstartedJobs(harness.database, [returned])
  },
}

/** Longer than the cases take. */
const expiresInMs = 3_600_000

/** Lets the expiry of each job of the queue pass. */
async function letExpire(harness: Harness, queue: string): Promise<void> {
  await harness.unmutated.pool.query(
    `UPDATE queue.jobs SET expires_at = now() - interval '1 millisecond' WHERE queue = $1`,
    [queue],
  )
}

/** Enqueues jobs, and claims them with a new worker. */
async function claimed(
  harness: Harness,
  count: number,
  { plan = 'succeed', options = {} }: ClaimedJobsOptions = {},
) {
  const queue = harness.openQueue()
  const enqueued = await harness.enqueue(queue, { plan, count, options })
  const worker = await harness.addWorker(queue)
  return { queue, enqueued, worker, jobs: await harness.claim(worker, queue) }
}

interface ClaimedJobsOptions {
  readonly plan?: Plan
  readonly options?: JobOptions
}

/** Jobs whose worker was lost while it ran them. They can be claimed again, but the stale worker still has their leases. */
async function withStaleWorker(harness: Harness) {
  const { queue, worker, jobs } = await claimed(harness, 3)
  await harness.expire(worker)
  await harness.recover()
  await harness.makeDue(queue)
  return { queue, staleJobs: jobs }
}

/** Starts `act` while the table of the queues is locked. The lock is released after the statement `meanwhile` has run. */
async function behindLock<Result>(
  harness: Harness,
  { act, meanwhile }: { readonly act: () => Promise<Result>; readonly meanwhile: string },
): Promise<Result> {
  const holder = await harness.unmutated.pool.connect()
  try {
    await holder.query('BEGIN; LOCK TABLE queue.queues IN ACCESS EXCLUSIVE MODE')
    const acting = act()
    await settledOrWaiting(harness, [acting])
    await holder.query(meanwhile)
    await holder.query('COMMIT')
    return await acting
  } finally {
    holder.release(true)
  }
}

/** Waits until the call has its answer or waits for a lock. Resolves with a function that waits for the answer. */
async function inFlight(harness: Harness, call: Promise<unknown>): Promise<() => Promise<unknown>> {
  await settledOrWaiting(harness, [call])
  return () => call
}

/** Whether a call is refused because the job does not exist. */
function isNotFound(call: Promise<unknown>): Promise<boolean> {
  return call.then(
    () => false,
    (error: unknown) => error instanceof QueueError && error.code === 'job_not_found',
  )
}

function bareFinish({ lease }: ClaimedJob) {
  return { lease, resultText: null, note: null }
}
