import {
  claimJobs,
  ClaimMemory,
  registerWorker,
  type UnbegunJob,
  withdrawRegistration,
  type WorkerRegistration,
} from '@queue/core/internal'
import type { Logger } from '@queue/loop'
import { assertArguments, number } from '@queue/loop/arguments'
import { createDatabaseClock } from '@queue/postgres'
import { Attempt } from './attempt.ts'
import { type Base, createBase, createWrites, type Writes } from './base.ts'
import { attemptDeps } from './compose.ts'
import { createWorkerId } from './lease-keeper.ts'
import type { AttemptOutcome } from './observer.ts'
import { assertWorkerOptions, type WorkerOptions } from './options.ts'
import { processIdentity } from './process-identity.ts'
import { runJob, type RunJobDeps } from './run-job.ts'
import type { AttemptTrace, WorkerTracing } from './tracing.ts'
import { createWatch } from './watch.ts'

export type DrainOptions = WorkerOptions & {
  /** Attempts after which the drain gives up with an error, because jobs keep coming. Default 10 000. */
  readonly attemptsMax?: number
}

/** One attempt that a drain ran. */
export interface DrainedAttempt {
  readonly jobId: string
  readonly kind: string
  readonly queue: string
  /** The number of the attempt, from 1. */
  readonly attempt: number
  /**
   * What became of the job. `retrying` and `failed_permanent`, with a dead letter, are both `failed` in the history of the job
   * (`Queue.executions`).
   */
  readonly outcome: AttemptOutcome
  /** The error that the handler threw or returned; absent if it did not fail. */
  readonly error?: unknown
}

type AttemptEnd = Parameters<AttemptTrace['ended']>[0]

/** The parts of a worker that run one attempt. */
interface Drain {
  readonly base: Base
  readonly writes: Writes
  readonly workerId: string
  readonly attempts: RunJobDeps
  /** The attempts that run now. */
  readonly running: Set<Attempt>
  /** The ends of attempts that this drain has not returned yet, by job id. */
  readonly ends: Map<string, AttemptEnd>
  /** The largest batch of each kind whose handler takes several jobs at once, by kind. */
  readonly batchSizes: ReadonlyMap<string, number>
}

const attemptsMaxDefault = 10_000
/** Nothing renews the lease of a drain, so it outlasts any test. It ends with the drain. */
const drainLeaseMs = 3_600_000

/** A drain returns the failures of handlers, so it does not log them. */
const silentLogger: Logger = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
}

/**
 * Runs the due jobs of the worker's queues and kinds in this process, one after the other in the order of claims, until none
 * is due. That includes jobs that its handlers enqueue, and retries that are due at once. It is a worker without loops and
 * without a lease thread; the same code runs and records each attempt. For tests.
 */
export async function drainJobs(options: DrainOptions): Promise<DrainedAttempt[]> {
  assertWorkerOptions('drain', options, { attemptsMax: true })
  const { attemptsMax = attemptsMaxDefault } = options
  assertArguments('drain', { attemptsMax: number }, [attemptsMax])
  const drain = openDrain(options)
  const { base, writes, running } = drain
  const watch = createWatch({ ...base, ...writes, executing: () => [...running] })
  const drained: DrainedAttempt[] = []
  try {
    await registerWorker(base.database, registrationOf(drain))
    watch.start()
    for (let jobs = await claimDue(drain); jobs.length > 0; jobs = await claimDue(drain)) {
      drained.push(...(await runAll(jobs, drain)))
      if (drained.length >= attemptsMax) throw tooMany(attemptsMax)
    }
    return drained
  } finally {
    await watch.stop()
    await withdrawRegistration(base.database, registrationOf(drain))
    base.giveUp.abort()
    await writes.notifier.drained()
    await base.transactions.close()
    await base.database.close()
  }
}

function openDrain(options: DrainOptions): Drain {
  const workerId = createWorkerId('drain')
  const ends: Drain['ends'] = new Map()
  const batchSizes = new Map(
    (options.handlers ?? []).flatMap(({ definition, batchSize }) =>
      batchSize === undefined ? [] : [[definition.kind, batchSize] as const],
    ),
  )
  const tracing = recordEnds(options.tracing, (jobId, end) => ends.set(jobId, end))
  const concurrency = Math.max(1, ...batchSizes.values())
  const base = createBase({ logger: silentLogger, ...options, concurrency, tracing }, () => workerId)
  const writes = createWrites(base)
  const nothing = (): void => undefined
  const holder = { onDuration: nothing, onHandlerEnd: nothing, onZombie: nothing, onEnd: nothing }
  const attempts = { ...attemptDeps(base, writes, { observePayloads: () => undefined }), holder }
  return { base, writes, workerId, attempts, running: new Set(), ends, batchSizes }
}

/** Records the end of each attempt, with its error, in addition to the caller's tracing. */
function recordEnds(
  tracing: WorkerTracing | undefined,
  onEnd: (jobId: string, end: AttemptEnd) => void,
): WorkerTracing {
  return {
    claimed: (claim) => tracing?.claimed(claim),
    attempt: (job) => {
      const trace = tracing?.attempt(job)
      return {
        traceparent: trace?.traceparent,
        within: (work) => (trace === undefined ? work() : trace.within(work)),
        ended: (end) => {
          onEnd(job.id, end)
          trace?.ended(end)
        },
      }
    },
  }
}

function registrationOf({ base, workerId }: Drain): WorkerRegistration {
  return { ...base.settings, id: workerId, ...processIdentity(), kinds: base.kinds, leaseMs: drainLeaseMs }
}

/** Claims as many jobs as may run at once. It remembers nothing of earlier claims, because tests move time. */
async function claimDue({ base, workerId }: Drain): Promise<readonly UnbegunJob[]> {
  const { database, kinds, settings, nowMs } = base
  const claimed = await claimJobs(database, {
    workerId,
    kinds,
    memory: new ClaimMemory(settings.queues),
    limit: settings.concurrency,
    eligible: 'any',
    answerWithinMs: settings.queryTimeoutMs,
    clock: createDatabaseClock(nowMs),
  })
  if (claimed.leaseLost) {
    throw new Error('the drain has lost its lease: check whether the test deletes rows of the table workers')
  }
  if (claimed.tooLate) throw new Error('the claim of the drain waited too long for a lock')
  return claimed.jobs
}

/** Runs the jobs of batch handlers at the same time, and the others one after the other. */
async function runAll(jobs: readonly UnbegunJob[], drain: Drain): Promise<DrainedAttempt[]> {
  const batched = jobs.filter(({ kind }) => drain.batchSizes.has(kind))
  const drained = await Promise.all(batched.map((job) => runOne(job, drain)))
  for (const job of jobs) {
    if (!drain.batchSizes.has(job.kind)) drained.push(await runOne(job, drain))
  }
  return drained
}

async function runOne(job: UnbegunJob, { attempts, running, ends }: Drain): Promise<DrainedAttempt> {
  const attempt = new Attempt(job)
  if (job.cancelRequested) attempt.abort('cancelled')
  running.add(attempt)
  const outcome = await runJob(attempt, attempts)
  running.delete(attempt)
  const { id, kind, queue } = job
  const drained = { jobId: id, kind, queue, attempt: job.attempt, outcome }
  const end = ends.get(id)
  ends.delete(id)
  return end !== undefined && 'error' in end ? { ...drained, error: end.error } : drained
}

function tooMany(attempts: number): Error {
  return new Error(
    `jobs are still due after ${attempts} attempts: a handler enqueues, snoozes or retries without a delay; ` +
      'set attemptsMax if this many attempts are expected',
  )
}
