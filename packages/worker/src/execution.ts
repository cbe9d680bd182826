import { limits } from '@queue/core'
import {
  type ClaimedJob,
  type Lease,
  type PgConnection,
  type QueueDatabase,
  type ReadPayload,
  readPayloads,
  type UnbegunJob,
} from '@queue/core/internal'
import { createGroupCommit } from '@queue/postgres'
import {
  type AttemptDefaults,
  AttemptAborted,
  type ExecutionContext,
  type Executor,
  failed,
  isOutcome,
  type Outcome,
} from '@queue/executor'
import type { Logger } from '@queue/loop'
import type { Attempt } from './attempt.ts'
import type { Finisher } from './finisher.ts'
import type { JobLogs } from './job-logs.ts'

/** The dependencies of running a handler. */
export interface ExecutionDeps {
  /** Wrapped by `containExecutor`, so it never throws. */
  readonly executor: Executor<PgConnection>
  readonly payloads: Payloads
  readonly finisher: Pick<Finisher, 'release'>
  readonly logs: JobLogs
}

/** Runs the handler, after reading the payload if the claim did not carry it. */
export function execute(attempt: Attempt, context: ExecutionContext, deps: ExecutionDeps): Promise<Outcome> {
  const { job } = attempt
  if (!hasPayload(job)) return executeWithPayload(attempt, context, deps)
  attempt.hidden?.addSent(job.payload)
  return deps.executor.execute(context, job)
}

function hasPayload(job: UnbegunJob): job is ClaimedJob {
  return job.payload !== undefined
}

/**
 * Reads a payload that was too large for the claim. If it cannot be read, the job is released uncharged, because it has not
 * begun.
 */
async function executeWithPayload(
  attempt: Attempt,
  context: ExecutionContext,
  deps: ExecutionDeps,
): Promise<Outcome> {
  const { job } = attempt
  const read = await deps.payloads.read(job.lease).catch((error: unknown) => failed(error))
  if (read === undefined) {
    attempt.abort('lease_lost')
    return failed(new AttemptAborted('lease_lost'))
  }
  if ('kind' in read) {
    attempt.release ??= deps.finisher.release(job.lease)
    return read
  }
  attempt.hidden?.addSent(read.payload)
  return deps.executor.execute(context, { ...job, payload: read.payload })
}

/** Reads payloads that were too large for their claims when their jobs begin: a few at a time, over one connection. */
export interface Payloads {
  /** The payload of a job that runs here; undefined if the lease is lost. Waits while the database is unavailable. */
  read(lease: Lease): Promise<ReadPayload | undefined>
}

export interface PayloadsOptions {
  readonly database: QueueDatabase
  /** Called when a payload was read into memory. */
  readonly onRead: (payload: ReadPayload) => void
  readonly onOutage: (error: unknown) => void
  readonly giveUp: AbortSignal
}

export function createPayloads({ database, onRead, onOutage, giveUp }: PayloadsOptions): Payloads {
  const reads = createGroupCommit<Lease, ReadPayload | undefined>({
    apply: (leases) => readPayloads(database, leases),
    groupMax: limits.payloadReadBatchMax,
    onOutage,
    giveUp,
  })
  return {
    read: async (lease) => {
      const read = await reads.add(lease)
      if (read !== undefined) onRead(read)
      return read
    },
  }
}

/**
 * Wraps `executor` so that it keeps the contract of its interface: an attempt always has an outcome, and `definition` never
 * throws. A breach of the contract fails its attempt and nothing else.
 */
export function containExecutor(
  executor: Executor<PgConnection>,
  logger: Logger,
): Required<Executor<PgConnection>> {
  return {
    kinds: executor.kinds,
    definitions: executor.definitions ?? [],
    execute: (context, job): Promise<Outcome> => {
      try {
        return Promise.resolve(executor.execute(context, job)).then(checkedOutcome, failed)
      } catch (error) {
        return Promise.resolve(failed(error))
      }
    },
    definition: (kind): AttemptDefaults | undefined => {
      try {
        return executor.definition?.(kind)
      } catch (error) {
        logger.error("the executor's definition() threw: using the worker's defaults", { kind, error })
        return undefined
      }
    },
  }
}

function checkedOutcome(value: unknown): Outcome {
  try {
    return isOutcome(value) ? value : failed(new TypeError('the executor returned no outcome'))
  } catch (error) {
    // A proxy threw when it was inspected.
    return failed(error)
  }
}
