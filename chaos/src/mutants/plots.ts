import { createQueue, InvalidTransition, type JobOptions, type PgClient, QueueError } from '@queue/core'
import {
  cancelRunningJobs,
  type ClaimedJob,
  finishJobs,
  giveBackJobs,
  listOwnLeases,
  recoverJobs,
  releaseJobs,
  snoozeJobs,
  stopWorker,
} from '@queue/core/runtime'
import { chaosJob, type Plan } from '../fleet/chaos-job.ts'
import { amidRecovery, settledOrWaiting, settlesAt } from './interleave.ts'
import { patient, type Stage } from './stage.ts'

/** One story of a few jobs. What it leaves behind is worked off when all plots have been played. */
export type Plot = (stage: Stage) => Promise<void>

/** Every plot, by what happens in it. */
export const plots: Readonly<Record<string, Plot>> = {
  'an enqueue is given a client that is in no transaction': async (stage) => {
    const { pool } = stage.queue.database
    const client = await pool.connect()
    try {
      // Of such a client nothing is known but that it sends statements.
      const transaction: PgClient = { query: client.query.bind(client) }
      const payload = { key: 'outside', plan: 'succeed' as const, ms: 0 }
      const answer = stage.queue.enqueue(chaosJob, payload, { queue: stage.openQueue(), transaction })
      const refused = await answer.then(
        () => false,
        (error: unknown) => error instanceof QueueError && error.code === 'invalid_options',
      )
      stage.expectAnswer('an enqueue was written outside of the transaction that it was given', refused)
    } finally {
      client.release()
    }
  },

  'live workers meet a recovery': async (stage) => {
    const { jobs } = await claimed(stage, 5)
    await stage.recover()
    await stage.finish(jobs)
  },

  'a ghost finishes while another one runs its job': async (stage) => {
    const { queue, ghosts } = await haunted(stage)
    const taken = await stage.claim(await stage.hire(queue), queue)
    const said = await stage.finish(ghosts)
    const refused = said.every(({ outcome }) => outcome === 'lease_lost')
    stage.expectAnswer('a ghost was told that it has finished', refused)
    await stage.finish(taken)
  },

  'a ghost finishes while its job waits': async (stage) => {
    const { ghosts } = await haunted(stage)
    await stage.finish(ghosts)
  },

  'a ghost fails after its job has ended': async (stage) => {
    const { queue, ghosts } = await haunted(stage)
    await stage.finish(await stage.claim(await stage.hire(queue), queue))
    await stage.fail(ghosts)
  },

  'a ghost commits a transaction': async (stage) => {
    const { ghosts } = await haunted(stage)
    for (const ghost of ghosts) await stage.transact(ghost)
  },

  'a transaction comes after its attempt has ended in another way': async (stage) => {
    const { jobs } = await claimed(stage, 2, { plan: 'transact_late' })
    await stage.finish(jobs)
    for (const job of jobs) {
      const said = await stage.transact(job)
      stage.expectAnswer(
        'a transaction took an earlier end of its attempt for its own',
        said === 'lease_lost',
      )
    }
  },

  'a transaction ends its job': async (stage) => {
    const { jobs } = await claimed(stage, 2, { plan: 'transact' })
    for (const job of jobs) await stage.transact(job)
  },

  'a finish whose reply was lost is sent again': async (stage) => {
    const { jobs } = await claimed(stage, 3)
    await stage.finish(jobs)
    const again = await finishJobs(stage.database, jobs.map(bareFinish))
    const said = again.every(({ outcome }) => outcome === 'finished')
    stage.expectAnswer('a finish that was sent again was not told that it is recorded', said)
  },

  'a recovery meets a finish in flight': async (stage) => {
    const { worker, jobs } = await claimed(stage, 1)
    await stage.expire(worker)
    const recovering = await stage.queue.database.transaction(async (database) => {
      await stage.finish(jobs, database)
      return { done: await inFlight(stage, recoverJobs(stage.database)) }
    })
    await recovering.done()
  },

  'a finish meets a recovery in flight': async (stage) => {
    const { worker, jobs } = await claimed(stage, 1)
    await stage.expire(worker)
    const finishing = await stage.queue.database.transaction(async (database) => {
      await recoverJobs(database)
      return { done: await inFlight(stage, stage.finish(jobs)) }
    })
    await finishing.done()
  },

  'a give-back meets a recovery in flight': async (stage) => {
    const { worker, jobs } = await claimed(stage, 1)
    await stage.expire(worker)
    const leases = jobs.map(({ lease }) => lease)
    const givingBack = await stage.queue.database.transaction(async (database) => {
      await recoverJobs(database)
      return { done: await inFlight(stage, giveBackJobs(stage.database, leases)) }
    })
    await givingBack.done()
  },

  'a job is finished in the midst of a recovery': async (stage) => {
    const { worker, jobs } = await claimed(stage, 2)
    await stopWorker(stage.database, worker)
    await amidRecovery(stage, async () => void (await stage.finish(jobs)))
  },

  'a job is recovered and claimed anew in the midst of a recovery': async (stage) => {
    const { queue, worker } = await claimed(stage, 2)
    await stopWorker(stage.database, worker)
    let taken: ClaimedJob[] = []
    await amidRecovery(stage, async () => {
      await stage.recover()
      await stage.makeDue(queue)
      taken = await stage.claim(await stage.hire(queue), queue)
    })
    await stage.finish(taken)
  },

  'two claims meet a row that somebody else has locked': async (stage) => {
    const queue = stage.openQueue()
    const [first] = await stage.enqueue(queue, { plan: 'succeed', count: 4 })
    const holder = await stage.plain.pool.connect()
    try {
      await holder.query('BEGIN')
      await holder.query('SELECT FROM queue.jobs WHERE id = $1 FOR UPDATE', [first?.id])
      const workers = [await stage.hire(queue), await stage.hire(queue)]
      const claims = workers.map((worker) => stage.claim(worker, queue))
      const answered = await settledOrWaiting(stage, claims)
      stage.expectAnswer('a claim waited for a row that somebody else has locked', answered)
      await holder.query('COMMIT')
      for (const claim of claims) await stage.finish(await claim)
    } finally {
      holder.release(true)
    }
  },

  'a claim waits behind a lock until its caller has given it up': async (stage) => {
    const queue = stage.openQueue()
    await stage.enqueue(queue, { plan: 'succeed', count: 2 })
    const worker = await stage.hire(queue)
    const impatient = { answerWithinMs: 1, clock: { nowMs: () => undefined } }
    await behindLock(stage, {
      act: () => stage.claimUnheard(worker, queue, impatient),
      meanwhile: 'SELECT pg_sleep(0.01)',
    })
  },

  'a claim is on its way until its caller has given it up': async (stage) => {
    const queue = stage.openQueue()
    await stage.enqueue(queue, { plan: 'succeed', count: 2 })
    const worker = await stage.hire(queue)
    const { rows } = await stage.plain.pool.query<{ ms: number }>(
      `SELECT extract(epoch FROM now() - interval '1 minute')::float8 * 1000 AS ms`,
    )
    await stage.claimUnheard(worker, queue, { answerWithinMs: 10_000, clock: { nowMs: () => rows[0]?.ms } })
  },

  'the jobs of a claim whose reply was lost are looked for an hour later': async (stage) => {
    const queue = stage.openQueue()
    await stage.enqueue(queue, { plan: 'succeed', count: 2 })
    const worker = await stage.hire(queue)
    await stage.claimUnheard(worker, queue, patient)
    await stage.plain.pool.query(
      `UPDATE queue.jobs SET locked_at = locked_at - interval '1 hour' WHERE locked_by = $1`,
      [worker],
    )
    const everything = { fromAgeMs: 0, toAgeMs: Number.POSITIVE_INFINITY }
    const { leases } = await listOwnLeases(stage.database, { workerId: worker, ...everything })
    await giveBackJobs(stage.database, leases)
  },

  'a worker loses its lease while its claim waits behind a lock': async (stage) => {
    const queue = stage.openQueue()
    await stage.enqueue(queue, { plan: 'succeed', count: 2 })
    const worker = await stage.hire(queue)
    const jobs = await behindLock(stage, {
      act: () => stage.claim(worker, queue),
      meanwhile: `UPDATE queue.workers SET lease_expires_at = clock_timestamp() WHERE id = '${worker}'`,
    })
    stage.expectAnswer('a worker whose lease ran out behind a lock was given jobs', jobs.length === 0)
  },

  'statements are given up behind a lock, one after another': async (stage) => {
    const max = 2
    const name = 'cramped'
    const pool = stage.openPool({ max, name })
    const queue = createQueue({ pool, queryTimeoutMs: 100 })
    const holder = await stage.plain.pool.connect()
    try {
      await holder.query('BEGIN; LOCK TABLE queue.jobs IN ACCESS EXCLUSIVE MODE')
      for (let round = 0; round < 3; round += 1)
        await Promise.allSettled(Array.from({ length: max }, () => queue.list()))
      const isWithin = await settlesAt(stage, { name, max })
      stage.expectAnswer('a pool had more connections than its maximum, for as long as a lock', isWithin)
      await holder.query('COMMIT')
    } finally {
      holder.release(true)
      await pool.end()
    }
  },

  'a worker without a lease asks for jobs': async (stage) => {
    const queue = stage.openQueue()
    await stage.enqueue(queue, { plan: 'succeed', count: 2 })
    const worker = await stage.hire(queue)
    await stage.expire(worker)
    const jobs = await stage.claim(worker, queue)
    stage.expectAnswer('a worker whose lease had expired was given jobs', jobs.length === 0)
  },

  'a queue is paused': async (stage) => {
    const queue = stage.openQueue()
    await stage.enqueue(queue, { plan: 'succeed', count: 2 })
    const worker = await stage.hire(queue)
    await stage.queue.pause(queue)
    const jobs = await stage.claim(worker, queue)
    stage.expectAnswer('a paused queue was claimed from', jobs.length === 0)
    await stage.queue.resume(queue)
    await stage.finish(jobs)
  },

  'two queues of one priority have more than a claim takes': async (stage) => {
    const queues = [stage.openQueue(), stage.openQueue()]
    for (const queue of queues) await stage.enqueue(queue, { plan: 'succeed', count: 4 })
    const [worker] = await Promise.all(queues.map((queue) => stage.hire(queue)))
    const jobs = await stage.claim(worker ?? '', queues, 4)
    const shares = queues.map((name) => jobs.filter(({ queue }) => queue === name).length)
    stage.expectAnswer(
      'a claim gave one queue the share of another',
      shares.every((share) => share === 2),
    )
    await stage.finish(jobs)
  },

  'a job has its time to come': async (stage) => {
    const queue = stage.openQueue()
    const options = { delayMs: 3_600_000 }
    const jobs = await stage.enqueue(queue, { plan: 'succeed', count: 2, options })
    await stage.finish(await stage.claim(await stage.hire(queue), queue))
    for (const job of jobs) await stage.client.cancel(job)
  },

  'a worker is lost with the last attempt': async (stage) => {
    const { worker } = await claimed(stage, 2, { options: { maxAttempts: 1 } })
    await stage.expire(worker)
    await stage.recover()
  },

  'a worker is lost whose job is to be cancelled': async (stage) => {
    const { worker, rows } = await claimed(stage, 2)
    for (const row of rows) await stage.client.cancel(row)
    await stage.expire(worker)
    await stage.recover()
  },

  'a job that is to be cancelled fails': async (stage) => {
    const { rows, jobs } = await claimed(stage, 2, { plan: 'fail_always' })
    for (const row of rows) await stage.client.cancel(row)
    await stage.fail(jobs)
  },

  'a cancel is observed, and another one is not': async (stage) => {
    const { rows, jobs } = await claimed(stage, 2)
    for (const row of rows) await stage.client.cancel(row)
    const [observed, finished] = jobs
    if (observed !== undefined) await cancelRunningJobs(stage.database, [observed.lease])
    if (finished !== undefined) await stage.finish([finished])
  },

  'a job that has succeeded is cancelled, and requeued': async (stage) => {
    const { rows, jobs } = await claimed(stage, 2)
    await stage.finish(jobs)
    const [cancelled, requeued] = rows
    if (cancelled !== undefined) await stage.client.cancel(cancelled)
    const refusal = await stage.queue.requeue(requeued?.id ?? '').catch((error: unknown) => error)
    stage.expectAnswer('a job that had succeeded was requeued', refusal instanceof InvalidTransition)
  },

  'jobs fail to their end, and are requeued': async (stage) => {
    const { queue, rows, jobs } = await claimed(stage, 2, {
      plan: 'fail_always',
      options: { maxAttempts: 2 },
    })
    await stage.fail(jobs)
    await stage.workOff(queue)
    const [byJob, byLetter] = rows
    await stage.queue.requeue(byJob?.id ?? '')
    const { deadLetters } = await stage.queue.deadLetters.list({})
    const letter = deadLetters.find(({ jobId }) => jobId === byLetter?.id)
    await stage.queue.deadLetters.requeue(letter?.id ?? '')
  },

  'a job that has failed for good succeeds in its next life': async (stage) => {
    const { queue, rows, jobs } = await claimed(stage, 1, { plan: 'fail_once', options: { maxAttempts: 1 } })
    await stage.fail(jobs)
    for (const { id } of rows) await stage.queue.requeue(id)
    await stage.workOff(queue)
  },

  'jobs are put off, released and given back': async (stage) => {
    const { jobs } = await claimed(stage, 3)
    const [snoozed, released, givenBack] = jobs.map(({ lease }) => lease)
    if (snoozed !== undefined) await snoozeJobs(stage.database, [{ lease: snoozed, waitMs: 0 }])
    if (released !== undefined) await releaseJobs(stage.database, [released])
    if (givenBack !== undefined) await giveBackJobs(stage.database, [givenBack])
  },
}

/** So many jobs, claimed by a worker of their own. */
async function claimed(stage: Stage, count: number, { plan = 'succeed', options = {} }: Cast = {}) {
  const queue = stage.openQueue()
  const rows = await stage.enqueue(queue, { plan, count, options })
  const worker = await stage.hire(queue)
  return { queue, rows, worker, jobs: await stage.claim(worker, queue) }
}

interface Cast {
  readonly plan?: Plan
  readonly options?: JobOptions
}

/** Jobs whose worker was lost while it ran them: they may be claimed again, and it still believes that it holds them. */
async function haunted(stage: Stage) {
  const { queue, worker, jobs } = await claimed(stage, 3)
  await stage.expire(worker)
  await stage.recover()
  await stage.makeDue(queue)
  return { queue, ghosts: jobs }
}

/** Begins `act` behind a lock on the table of the queues, which is let go of once `meanwhile` has been run beside it. */
async function behindLock<Result>(
  stage: Stage,
  { act, meanwhile }: { readonly act: () => Promise<Result>; readonly meanwhile: string },
): Promise<Result> {
  const holder = await stage.plain.pool.connect()
  try {
    await holder.query('BEGIN; LOCK TABLE queue.queues IN ACCESS EXCLUSIVE MODE')
    const acting = act()
    await settledOrWaiting(stage, [acting])
    await holder.query(meanwhile)
    await holder.query('COMMIT')
    return await acting
  } finally {
    holder.release(true)
  }
}

/** Waits until the call has its answer or waits for a lock; what it gives waits for the answer. */
async function inFlight(stage: Stage, call: Promise<unknown>): Promise<() => Promise<unknown>> {
  await settledOrWaiting(stage, [call])
  return () => call
}

function bareFinish({ lease }: ClaimedJob) {
  return { lease, resultText: null, note: null }
}
