import { afterAll, expect, test } from '@jest/globals'
import { endedAttempts, makeDue, seeded } from '@queue/dev-postgres'
import fc from 'fast-check'
import { z } from 'zod'
import { takeRequests } from '../../src/access/take-requests.ts'
import { InvalidInput, InvalidTransition, QueueError } from '../../src/domain/errors.ts'
import { defineJob } from '../../src/domain/job-definition.ts'
import type { Lease } from '../../src/domain/job.ts'
import { isTerminal } from '../../src/domain/transitions.ts'
import { scopeQueue } from '../../src/tenants/scoped-queue.ts'
import { cancelRunningJobs } from '../../src/transitions/cancel-running-jobs.ts'
import type { Completion } from '../../src/transitions/complete-attempts.ts'
import { expireJobs } from '../../src/transitions/expire-jobs.ts'
import { finishJobs } from '../../src/transitions/finish-jobs.ts'
import { pruneJobs } from '../../src/transitions/prune-jobs.ts'
import { recoverJobs } from '../../src/transitions/recover-jobs.ts'
import { releaseJobs } from '../../src/transitions/release-jobs.ts'
import { retryOrDeadLetterJobs } from '../../src/transitions/retry-or-dead-letter-jobs.ts'
import { returnUnstartedJobs } from '../../src/transitions/return-unstarted-jobs.ts'
import { snoozeJobs } from '../../src/transitions/snooze-jobs.ts'
import { stopWorker } from '../../src/workers/stop-worker.ts'
import { claim, newWorker, probe } from '../support/builders.ts'
import { manyCommands } from '../support/many-commands.ts'
import {
  type CountedFailures,
  type Ending,
  Model,
  type ModelEntry,
  type ModelJob,
  endings,
  failureCauses,
  modelRate,
} from '../support/model.ts'
import { testScale } from '../support/scale.ts'
import { scheduleCommands } from '../support/schedule-commands.ts'
import { openWorld } from '../support/world.ts'

const world = await openWorld()
afterAll(() => world.close())

const { queue, database } = world
const probeSecond = defineJob({ kind: 'probe', version: 2, payload: z.unknown() })
const commandsMin = 500 * testScale
/** Several times as many rounds as a run ever needs. */
const roundsMax = 80 * testScale
/** Longer than a run: a job that waits so long is due only once the model lets time pass. */
const waitMs = 3_600_000

/** How often each act really changed something: a run without changes would prove nothing. */
const actCounts = new Map<string, number>()
let commands = 0

function countAct(name: string): void {
  actCounts.set(name, (actCounts.get(name) ?? 0) + 1)
}

type Act = (model: Model) => Promise<void>

/** A command: an act on the database and on the model, and then a comparison of all their state. */
class Command implements fc.AsyncCommand<Model, object> {
  readonly #name: string
  readonly #act: Act

  constructor(name: string, act: Act) {
    this.#name = name
    this.#act = act
  }

  check(): boolean {
    return true
  }

  async run(model: Model): Promise<void> {
    commands += 1
    await this.#act(model)
    expect(await databaseState()).toEqual(modelState(model))
    expect(await auditLog()).toEqual(model.entries)
    expect(await scheduleState()).toEqual(modelScheduleState(model))
    expect(await countedFailures()).toEqual(model.countedFailures())
  }

  toString(): string {
    return this.#name
  }
}

interface State {
  readonly id: string
  readonly tenant: string | null
  readonly version: number
  readonly status: string
  readonly attempts: number
  readonly token: number
  readonly crashes: number
  readonly cancel_requested: boolean
  readonly owner: string | null
  readonly is_due: boolean
  readonly is_finished: boolean
  readonly expiry: string
  readonly deadLetters: number
  readonly is_receipt: boolean
  readonly history: string[]
}

function databaseState(): Promise<State[]> {
  return world.sql<State>(`
    SELECT j.id, j.tenant_id AS tenant, coalesce(j.kind_version, 1)::int AS version, j.status::text, j.attempts, j.lease_token::int AS token, j.crashes, j.cancel_requested,
           j.locked_by AS owner, j.run_at <= now() AND j.status IN ('queued', 'retrying') AS is_due,
           j.finished_at IS NOT NULL AS is_finished,
           CASE WHEN j.expires_at IS NULL THEN 'none' WHEN j.expires_at > now() THEN 'later' ELSE 'past' END AS expiry,
           j.stripped_at IS NOT NULL AND j.payload = 'null' AS is_receipt,
           (SELECT count(*)::int FROM queue.dead_letter_jobs AS d WHERE d.job_id = j.id) AS "deadLetters",
           ARRAY(SELECT x.lease_token || ' ' || x.outcome FROM ${endedAttempts('queue')} AS x
                  WHERE x.job_id = j.id ORDER BY x.lease_token) AS history
      FROM queue.all_jobs AS j ORDER BY j.id`)
}

function auditLog(): Promise<ModelEntry[]> {
  return world.sql<ModelEntry>(
    'SELECT act, tenant_id AS tenant, count, coalesce(job_ids[1]::text, target) AS "jobId" FROM queue.audit_log ORDER BY at, id',
  )
}

/** The failures of each cause, as counted by its group, its days and their hours. */
function countedFailures(): Promise<CountedFailures[]> {
  return world.sql<CountedFailures>(`
    SELECT e.tenant_id AS tenant, e.fingerprint, e.count::int, sum(d.count)::int AS "dayCount",
           sum((SELECT sum(h) FROM unnest(d.hours) AS h))::int AS "hourCount"
      FROM queue.job_errors AS e LEFT JOIN queue.job_error_days AS d ON d.error_id = e.id AND d.tenant_id = e.tenant_id
     GROUP BY e.tenant_id, e.queue, e.fingerprint ORDER BY e.tenant_id, e.fingerprint`)
}

/** Sorted by id: a job of a schedule gets its id from another reading of the clock than an enqueued one. */
function modelState(model: Model): State[] {
  return model.jobs
    .map((job) => ({
      id: job.id,
      tenant: job.tenant,
      version: job.version,
      status: job.status,
      attempts: job.attempts,
      token: job.token,
      crashes: job.crashes,
      cancel_requested: job.cancelRequested,
      owner: job.owner,
      is_due: job.due && (job.status === 'queued' || job.status === 'retrying'),
      is_finished: isTerminal(job.status),
      expiry: job.expiry,
      deadLetters: job.hasDeadLetter ? 1 : 0,
      is_receipt: job.isReceipt,
      history: [...job.executions]
        .toSorted(([a], [b]) => a - b)
        .map(([token, outcome]) => `${token} ${outcome}`),
    }))
    .toSorted((a, b) => (a.id < b.id ? -1 : 1))
}

/** The tenant of a caller or of a job; null for none. */
const tenant = fc.constantFrom(null, 'acme', 'evil')

/** The queue for a caller that is bound to this tenant. */
function queueOf(tenantId: string | null) {
  return tenantId === null ? queue : scopeQueue(queue, { tenantId })
}

/** The result of an act; undefined if it fails with `job_not_found`. */
async function ifVisible<Result>(act: Promise<Result>): Promise<Result | undefined> {
  return act.catch((error: unknown) => {
    if (error instanceof QueueError && error.code === 'job_not_found') return undefined
    throw error
  })
}

interface ScheduleState {
  readonly name: string
  readonly paused: boolean
  readonly lastJobId: string | null
  /** Instants with a job, and those dropped by each policy. */
  readonly counts: readonly number[]
}

function scheduleState(): Promise<ScheduleState[]> {
  return world.sql<ScheduleState>(`
    SELECT s.name, s.paused_at IS NOT NULL AS paused, s.last_job_id AS "lastJobId",
           ARRAY[s.fired_count, s.missed_count, s.skipped_count]::int[] AS counts
      FROM queue.schedules AS s ORDER BY s.name`)
}

function modelScheduleState(model: Model): ScheduleState[] {
  return model.schedules
    .map(({ name, paused, lastJobId, fired, dropped, skipped }) => ({
      name,
      paused,
      lastJobId,
      counts: [fired, dropped, skipped],
    }))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
}

const enqueue = fc
  .record({
    tenant,
    key: fc.option(fc.constantFrom('a', 'b', 'c'), { freq: 3 }),
    unique: fc.option(
      fc.record({
        // Always the same key, mostly with the scope live: a requeued job must meet another one that holds it.
        key: fc.constant('u'),
        scope: fc.constantFrom('waiting' as const, 'live' as const, 'live' as const),
      }),
      { freq: 2 },
    ),
    priority: fc.integer({ min: 0, max: 9 }),
    maxAttempts: fc.integer({ min: 1, max: 3 }),
    version: fc.constantFrom(1, 1, 1, 2),
    expiresInMs: fc.option(fc.constant(waitMs), { nil: undefined }),
  })
  .map((options) => new Command(`enqueue(${JSON.stringify(options)})`, (model) => enqueueAs(model, options)))

interface EnqueueOptions
  extends Pick<ModelJob, 'tenant' | 'key' | 'unique' | 'priority' | 'maxAttempts' | 'version'> {
  readonly expiresInMs: number | undefined
}

async function enqueueAs(model: Model, options: EnqueueOptions): Promise<void> {
  const { key, unique, tenant: tenantId, version, priority, maxAttempts, expiresInMs } = options
  const existing = model.findByKey(key, tenantId)
  const holder = existing === undefined ? model.holderOf(unique, tenantId) : undefined
  const request = {
    priority,
    maxAttempts,
    ...(expiresInMs !== undefined && { expiresInMs }),
    ...(key !== null && { idempotencyKey: key }),
    ...(unique !== null && { unique }),
    ...(tenantId !== null && { tenantId }),
  }
  const { job, replayed, conflict } = await queue.enqueue(version === 1 ? probe : probeSecond, {}, request)
  expect(replayed).toBe(existing !== undefined)
  expect(conflict).toBe(holder === undefined ? undefined : 'returned')
  const expiry = expiresInMs === undefined ? 'none' : 'later'
  const expectedJob = existing ?? holder
  if (expectedJob !== undefined) expect(job.id).toBe(expectedJob.id)
  else model.enqueue({ id: job.id, key, unique, tenant: tenantId, expiry, version, priority, maxAttempts })
  if (existing?.isReceipt) countAct('replayed by a receipt')
  countAct(replayed ? 'replayed' : (conflict ?? 'enqueued'))
}

/** The versions that a worker runs, and how it names them. Mostly all, so that jobs progress. */
const workerVersions = fc.oneof(
  { weight: 8, arbitrary: fc.constant({ versions: [1, 2], kinds: ['probe', 'probe/2'] }) },
  { weight: 1, arbitrary: fc.constant({ versions: [1], kinds: ['probe'] }) },
  { weight: 1, arbitrary: fc.constant({ versions: [2], kinds: ['probe/2'] }) },
)

const claimSome = fc.tuple(fc.nat({ max: 2 }), fc.integer({ min: 1, max: 4 }), workerVersions).map(
  ([worker, limit, { versions, kinds }]) =>
    new Command(`claim(${worker}, ${limit}, ${kinds.join()})`, async (model) => {
      const owner = model.activeWorkers[worker] as string
      const claimable = model.claimable(versions)
      const claimed = await claim(world, owner, { limit, kinds })
      expect(claimed).toHaveLength(Math.min(limit, claimable.length))
      const affected = claimed.map(({ id }) => claimable.find((job) => job.id === id) as ModelJob)
      const unclaimed = claimable.filter((job) => !affected.includes(job))
      const lastPriority = Math.max(...affected.map((job) => job.priority))
      expect(unclaimed.every((job) => job.priority >= lastPriority || affected.length === 0)).toBe(true)
      for (const job of affected) model.claim(job, owner)
      for (const job of affected) expect(claimed.find(({ id }) => id === job.id)?.lease.token).toBe(job.token)
      if (affected.length > 0) countAct('claimed')
      if (affected.length < limit && model.claimable([1, 2]).length > 0) countAct('left to another version')
    }),
)

/** Fails an attempt; each of the two ways has its own cause. */
function fail(lease: Lease, ending: 'fail' | 'dead_letter'): Promise<Completion[]> {
  const cause = { errorClass: 'Error', fingerprint: failureCauses[ending] }
  return retryOrDeadLetterJobs(database, [
    { lease, error: 'e', cause, waitMs, permanent: ending === 'dead_letter' },
  ])
}

const writes: Record<Ending, (lease: Lease) => Promise<Completion[]>> = {
  succeed: (lease) => finishJobs(database, [{ lease, resultText: '1', note: null }]),
  fail: (lease) => fail(lease, 'fail'),
  dead_letter: (lease) => fail(lease, 'dead_letter'),
  snooze: (lease) => snoozeJobs(database, [{ lease, waitMs }]),
  release: (lease) => releaseJobs(database, [lease]),
  returnUnstarted: (lease) => returnUnstartedJobs(database, [lease]),
  cancelObserved: (lease) => cancelRunningJobs(database, [lease]),
}

/** Completes any lease ever given, current or stale; half of the time the last one. */
const complete = fc.tuple(fc.oneof(fc.constant(-1), fc.nat()), fc.constantFrom(...endings)).map(
  ([nth, ending]) =>
    new Command(`${ending}(lease ${nth})`, async (model) => {
      const lease = model.leases.at(nth % Math.max(1, model.leases.length))
      if (lease === undefined) return
      const [completion] = await writes[ending](lease)
      const expected = model.complete(lease, ending)
      expect(completion).toEqual({ lease, ...expected })
      countAct(expected.status === null ? expected.outcome : ending)
    }),
)

function actOnJob(name: string, act: (model: Model, job: ModelJob) => Promise<void>): fc.Arbitrary<Command> {
  return fc.nat().map(
    (nth) =>
      new Command(`${name}(${nth})`, async (model) => {
        const job = model.jobs[nth % Math.max(1, model.jobs.length)]
        if (job !== undefined) await act(model, job)
      }),
  )
}

const cancel = actOnJob('cancel', async (model, job) => {
  const { outcome } = await queue.cancel(job.id)
  expect(outcome).toBe(model.cancel(job))
  countAct(`cancel ${outcome}`)
})

/** A caller with a key, of this tenant or of none, cancels a job and reads it. */
const cancelAsKey = fc.tuple(tenant, fc.nat()).map(
  ([tenantId, nth]) =>
    new Command(`cancel as a key of ${tenantId}(${nth})`, async (model) => {
      const job = model.jobs[nth % Math.max(1, model.jobs.length)]
      if (job === undefined) return
      const wasRequested = job.cancelRequested
      const answer = await ifVisible(queueOf(tenantId).actAs({ type: 'key', id: 'somebody' }).cancel(job.id))
      const isShown = model.isShownTo(tenantId, job)
      expect(answer?.outcome).toBe(isShown ? model.cancel(job) : undefined)
      expect((await queueOf(tenantId).get(job.id))?.id).toBe(isShown ? job.id : undefined)
      if (answer !== undefined && answer.outcome !== 'already_terminal') {
        const count = wasRequested ? 0 : 1
        model.entries.push({ act: 'job.cancel', tenant: tenantId ?? '', count, jobId: job.id })
      }
      countAct(isShown ? 'cancelled as a key' : 'hidden from a key')
    }),
)

const takeSomeRequests = fc
  .record({ wanted: fc.integer({ min: 1, max: 4 }), returned: fc.nat({ max: 2 }) })
  .map(
    ({ wanted, returned }) =>
      new Command(`take ${wanted}, return ${returned}`, async (model) => {
        const { granted } = await takeRequests(database, 'somebody', { rate: modelRate, wanted, returned })
        expect(granted).toBe(model.takeRequests(wanted, returned))
        countAct(granted < wanted ? 'rate used up' : 'rate taken from')
      }),
  )

async function requeueJob(model: Model, job: ModelJob, expiry: 'kept' | 'new'): Promise<void> {
  const requeued = await queue.requeue(job.id, expiry === 'new' ? { expiresInMs: waitMs } : {}).then(
    () => true,
    (error: unknown) => {
      if (error instanceof InvalidTransition) return false
      if (error instanceof InvalidInput && job.expiry === 'past') return false
      if (!(error instanceof QueueError) || error.code !== 'unique_conflict') throw error
      countAct('requeue refused for its key')
      return false
    },
  )
  expect(requeued).toBe(model.requeue(job, expiry))
  if (job.isReceipt) countAct('requeue refused of a receipt')
  if (requeued) countAct('requeued')
}

const requeue = (expiry: 'kept' | 'new') =>
  actOnJob(`requeue, expiry ${expiry}`, (model, job) => requeueJob(model, job, expiry))

/** Requeues a job whose unique key was used again meanwhile: by chance that happens once in thousands of commands. */
const requeueContested = actOnJob('requeue, its key wanted', async (model, nearest) => {
  const job = [nearest, ...model.jobs].find(
    (candidate) => isTerminal(candidate.status) && candidate.unique?.scope === 'live',
  )
  if (job === undefined) return
  await enqueueAs(model, { ...job, key: null, version: 1, expiresInMs: undefined })
  await requeueJob(model, job, 'kept')
})

const expire = fc.constant(
  new Command('expire', async (model) => {
    await world.sql(`UPDATE queue.jobs SET expires_at = now() - interval '1 second' WHERE expires_at > now()`)
    model.passExpiries()
    const expired = await expireJobs(database)
    expect(expired.map(({ id }) => id).toSorted()).toEqual(
      model
        .expire()
        .map(({ id }) => id)
        .toSorted(),
    )
    if (expired.length > 0) countAct('expired')
  }),
)

const loseWorker = fc.nat({ max: 2 }).map(
  (nth) =>
    new Command(`lose worker ${nth}`, async (model) => {
      const workerId = model.activeWorkers[nth] as string
      await stopWorker(database, workerId)
      expect(await claim(world, workerId)).toEqual([])
      model.activeWorkers[nth] = await newWorker(world)
    }),
)

const claimGivenUp = fc.nat({ max: 2 }).map(
  (worker) =>
    new Command(`claim(${worker}), given up`, async (model) => {
      const claimable = model.claimable([1])
      expect(await claim(world, model.activeWorkers[worker] as string, { answerWithinMs: 0 })).toEqual([])
      if (claimable.length > 0) countAct('claimed too late')
    }),
)

const recover = fc.constant(
  new Command('recover', async (model) => {
    const { jobs } = await recoverJobs(database)
    const affected = model.recover()
    expect(new Map(jobs.map((job) => [job.id, job.status]))).toEqual(
      new Map(affected.map((job) => [job.id, job.status])),
    )
    await world.sql(`UPDATE queue.jobs SET run_at = now() + interval '1 hour' WHERE id = ANY($1::uuid[])`, [
      affected.filter((job) => job.status === 'retrying').map((job) => job.id),
    ])
    for (const job of affected) countAct(`recovered to ${job.status}`)
  }),
)

/** A negative retention: every ended job is past it by any clock. */
const pastMs = -waitMs

const prune = fc.constantFrom(true, true, false).map(
  (keysAreKnown) =>
    new Command(`prune, keys ${keysAreKnown ? 'known' : 'forgotten'}`, async (model) => {
      const keyMs = keysAreKnown ? waitMs : null
      const retention = { succeededMs: pastMs, cancelledMs: pastMs, failedMs: pastMs, keyMs }
      const result = await pruneJobs(database, retention, null)
      expect(result).toEqual({ ...model.prune(keysAreKnown), cursor: null })
      if (result.pruned > 0) countAct('pruned')
      if (result.stripped > 0) countAct('stripped')
    }),
)

const letTimePass = fc.constant(
  new Command('let time pass', async (model) => {
    await makeDue(world)
    model.makeDue()
    await world.sql(`UPDATE queue.api_key_buckets SET filled_at = filled_at - interval '2 days'`)
    model.refill(2)
  }),
)

const script = fc.commands(
  [
    enqueue,
    enqueue,
    claimSome,
    claimSome,
    complete,
    complete,
    complete,
    cancel,
    cancelAsKey,
    takeSomeRequests,
    requeue('kept'),
    requeue('new'),
    requeueContested,
    // Repeated so often that all required acts happen within few more commands than the minimum.
    loseWorker,
    recover,
    loseWorker,
    recover,
    expire,
    claimGivenUp,
    loseWorker,
    recover,
    prune,
    letTimePass,
    ...manyCommands({ world, countAct, command: (name, act) => new Command(name, act) }),
    ...scheduleCommands({ world, countAct, command: (name, act) => new Command(name, act) }),
  ],
  { size: 'max', maxCommands: 120 },
)

async function runScripts(parameters: fc.Parameters<unknown>): Promise<void> {
  await fc.assert(
    fc.asyncProperty(script, async (acts) => {
      await world.reset()
      const model = new Model()
      for (let n = 0; n < 3; n += 1) model.activeWorkers.push(await newWorker(world))
      await fc.asyncModelRun(() => ({ model, real: {} }), acts)
    }),
    { ...parameters, numRuns: 5 },
  )
}

/** The acts that must have happened: everything that a job can go through, with refusals and lost replies. */
const requiredActs = [
  ...endings,
  'claimed',
  'claimed too late',
  'left to another version',
  'replayed',
  'replayed by a receipt',
  'requeue refused of a receipt',
  'pruned',
  'stripped',
  'returned',
  'requeued',
  'expired',
  'requeue refused for its key',
  'finished',
  'lease_lost',
  'cancel cancelled',
  'cancel requested',
  'cancel already_terminal',
  'cancel of many',
  'requeue of many',
  'delete of many',
  'of many, done',
  'of many, operation',
  'edited',
  'edit refused',
  'cancelled as a key',
  'hidden from a key',
  'rate used up',
  'recovered to retrying',
  'recovered to failed_permanent',
  'recovered to cancelled',
  'fired',
  'instants dropped',
  'instants skipped',
  'schedule run now',
  'schedule: pause',
  'schedule: resume',
  'schedule: delete',
]

test('the state machine is the model: whatever is asked of both, in whatever order, both hold the same', async () => {
  const { seed } = seeded('state machine')
  for (
    let round = 0;
    commands < commandsMin || requiredActs.some((what) => !actCounts.has(what));
    round += 1
  ) {
    if (round === roundsMax) throw new Error(`void: ${JSON.stringify([...actCounts])}`)
    await runScripts({ seed: seed + round })
  }
  process.stderr.write(`state machine: ${commands} commands, 0 divergences\n`)
})
