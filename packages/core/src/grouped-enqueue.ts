import type { z } from 'zod'
import { createGroupWrites } from '@queue/postgres'
import { QueueError, UniqueConflict } from './domain/errors.ts'
import type { JobDefinition, JobOptions, JobRequest } from './domain/job-definition.ts'
import { enqueueGroupBytesMax, enqueueGroupMax, enqueueWaitingMax } from './domain/limits.ts'
import type { EnqueueMany } from './enqueue.ts'
import type { FullQueues } from './limits/full-queues.ts'
import type { EnqueueTracing } from './enqueue-tracing.ts'
import type { Enqueued } from './transitions/enqueue-jobs.ts'

export interface GroupedEnqueueOptions {
  /** Requests without an answer beyond this are refused with `overloaded`; default `enqueueWaitingMax`. */
  readonly waitingMax?: number | undefined
  /** Makes each caller's enqueue an operation of a trace. The queue itself is then to have none: groups are nobody's. */
  readonly tracing?: EnqueueTracing | undefined
  /** What requests are held to, before they wait together. Default: nothing. */
  readonly bounds?: EnqueueBounds | undefined
  /** Counts those that wait, where several of these share one bound. Default: a count of its own. */
  readonly waiting?: WaitingCount | undefined
}

/** What each request of an enqueue is held to. */
export interface EnqueueBounds {
  /** The request that is written, or an error. */
  readonly admit: (request: JobRequest) => JobRequest
  /** The answer, or an error where a known key belongs to a job that may not be shown. */
  readonly disclose: (enqueued: Enqueued) => Enqueued
}

/** How many requests wait for their answers. */
export interface WaitingCount {
  now: number
}

/** Enqueues of many independent callers of one process, an HTTP server's for instance. */
export interface GroupedEnqueue {
  /**
   * Writes one job like `Queue.enqueue`, in one statement with whatever else is enqueued at the time, and answers after
   * that statement's commit. A job that the database refuses (`invalid_job`), or whose key a stranger's open
   * transaction holds (`idempotency_key_locked`), or that its queue has no room for (`queue_full`), costs its neighbours nothing
   * but time. Throws `overloaded` when too many wait already.
   */
  enqueue<Kind extends string, Payload extends z.ZodType>(
    definition: Pick<JobDefinition<Kind, Payload>, 'create'>,
    payload: z.input<Payload>,
    options?: JobOptions,
  ): Promise<Enqueued>
}

/** In a group a held key is waited for no longer than this, because everybody's keys wait with it. */
const groupKeyLockTimeoutMs = 100
const aloneKeyLockTimeoutMs = 1_000
/** Few, so that held keys cannot take all connections of a pool. */
const aloneMax = 4

/**
 * Groups the enqueues that go through it. Requests with a key form their own groups, those with a unique key too: only
 * those can meet the rows of others and have to wait. When a group meets one that the database refuses, or a held key, each of it goes alone, a
 * few at a time, while the next group is on its way.
 */
export function createGroupedEnqueue(
  queue: { readonly enqueueMany: EnqueueMany; readonly full?: Pick<FullQueues, 'has'> | undefined },
  {
    waitingMax = enqueueWaitingMax,
    tracing,
    bounds = unbounded,
    waiting = { now: 0 },
  }: GroupedEnqueueOptions = {},
): GroupedEnqueue {
  const alone = createBounded(aloneMax, (request: JobRequest) => writeAlone(queue.enqueueMany, request))
  const lane = () =>
    createGroupWrites<JobRequest, Enqueued>({
      apply: async (requests) => {
        try {
          return await queue.enqueueMany(requests, {
            keyLockTimeoutMs: groupKeyLockTimeoutMs,
            onRefused: 'answer',
          })
        } catch (error) {
          if (!isOnesOwn(error)) throw error
          return requests.map(alone)
        }
      },
      groupMax: enqueueGroupMax,
      weigh: (request) => request.payloadText.length,
      weightMax: enqueueGroupBytesMax,
    })
  const [plain, keyed, unique] = [lane(), lane(), lane()]
  const laneOf = ({ unique: wanted, idempotencyKey }: JobRequest) =>
    wanted !== null ? unique : idempotencyKey !== null ? keyed : plain
  const add = async (request: JobRequest): Promise<Enqueued> => {
    // What may be refused for itself alone is not written with others.
    const enqueued = await (queue.full?.has(request) === true ? alone(request) : laneOf(request).add(request))
    const { conflict, job } = bounds.disclose(enqueued)
    if (conflict === 'refused') throw new UniqueConflict([{ index: 0, jobId: job.id }])
    return enqueued
  }
  return {
    enqueue: async (definition, payload, options) => {
      const request = bounds.admit(definition.create(payload, options))
      if (waiting.now >= waitingMax) {
        throw new QueueError('overloaded', `${waitingMax} enqueues wait already: try again`)
      }
      waiting.now += 1
      try {
        return await (tracing === undefined ? add(request) : sendOne(request, add, tracing))
      } finally {
        waiting.now -= 1
      }
    },
  }
}

const unbounded: EnqueueBounds = {
  admit: (request) => request,
  disclose: (enqueued) => enqueued,
}

async function sendOne(
  request: JobRequest,
  add: (request: JobRequest) => Promise<Enqueued>,
  tracing: EnqueueTracing,
): Promise<Enqueued> {
  return onlyOf(await tracing.send([request], (traced) => Promise.all(traced.map(add))))
}

/** Whether one row of a group is at fault, so that the others can go on without it. */
function isOnesOwn(error: unknown): boolean {
  return (
    error instanceof QueueError &&
    (error.code === 'invalid_job' ||
      error.code === 'idempotency_key_locked' ||
      error.code === 'unique_key_locked' ||
      error.code === 'queue_full')
  )
}

async function writeAlone(enqueueMany: EnqueueMany, request: JobRequest): Promise<Enqueued> {
  return onlyOf(
    await enqueueMany([request], { keyLockTimeoutMs: aloneKeyLockTimeoutMs, onRefused: 'answer' }),
  )
}

function onlyOf([enqueued]: readonly Enqueued[]): Enqueued {
  if (enqueued === undefined) throw new Error('an enqueue of one job gave no answer')
  return enqueued
}

/** `work`, of which at most `max` run at a time; the others begin in their order. */
function createBounded<Input, Output>(
  max: number,
  work: (input: Input) => Promise<Output>,
): (input: Input) => Promise<Output> {
  const waiting: (() => void)[] = []
  let running = 0
  return async (input) => {
    if (running >= max) await new Promise<void>((resolve) => void waiting.push(resolve))
    else running += 1
    try {
      return await work(input)
    } finally {
      const next = waiting.shift()
      // The place is handed on, so that nobody who comes now can take it first.
      if (next === undefined) running -= 1
      else next()
    }
  }
}
