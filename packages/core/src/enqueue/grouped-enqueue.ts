import { assertArguments, assertKnownOptions } from '@queue/loop/arguments'
import type { z } from 'zod'
import { createGroupWrites } from '@queue/postgres'
import { QueueError, UniqueConflict } from '../domain/errors.ts'
import type { JobDefinition, JobOptions, JobRequest } from '../domain/job-definition.ts'
import { enqueueGroupBytesMax, enqueueGroupMax, enqueueWaitingMax } from '../domain/limits.ts'
import type { EnqueueMany } from './enqueue.ts'
import type { FullQueues } from '../flow/full-queues.ts'
import { type EnqueueTracing, tracingRule } from './enqueue-tracing.ts'
import { findInternals } from './queue-internals.ts'
import { enqueueParameters, queueRule } from './enqueue-parameters.ts'
import type { Enqueued } from '../transitions/enqueue-jobs.ts'

export interface GroupedEnqueueOptions {
  /** The most requests that wait for an answer. Further ones are refused with `overloaded`. Default `enqueueWaitingMax`. */
  readonly waitingMax?: number | undefined
  /**
   * Makes each caller's enqueue an operation of a trace. The queue itself must then have no tracing, because a group
   * belongs to no single caller.
   */
  readonly tracing?: EnqueueTracing | undefined
  /** The bounds of requests, which are checked before they wait together. Default: none. */
  readonly bounds?: EnqueueBounds | undefined
  /** The number of waiting requests, where several of these share one maximum. Default: a separate one. */
  readonly waiting?: WaitingCount | undefined
}

/** The bounds of each request of an enqueue. */
export interface EnqueueBounds {
  /** Returns the request to write, or throws. */
  readonly admit: (request: JobRequest) => JobRequest
  /** Returns the answer, or throws where a known key belongs to a job that may not be shown. */
  readonly disclose: (enqueued: Enqueued) => Enqueued
}

/** The number of requests that wait for their answers. */
export interface WaitingCount {
  now: number
}

/** Enqueues of many independent callers in one process, such as an HTTP server. */
export interface GroupedEnqueue {
  /**
   * Writes one job like `Queue.enqueue`, in one statement with other jobs that are enqueued at the time, and returns
   * after that statement's commit. A job that is refused only delays the others: because the database refuses it
   * (`invalid_job`), because another open transaction holds its key (`idempotency_key_locked`), or because its queue is
   * full (`queue_full`). Throws `overloaded` when too many enqueues wait already.
   */
  enqueue<Kind extends string, Payload extends z.ZodType>(
    definition: Pick<JobDefinition<Kind, Payload>, 'create'>,
    payload: z.input<Payload>,
    options?: JobOptions,
  ): Promise<Enqueued>
}

/** A group waits no longer than this for a locked key, because the other requests of the group wait too. */
const groupKeyLockTimeoutMs = 100
const separateKeyLockTimeoutMs = 1_000
/** A small number, so that locked keys cannot occupy all connections of a pool. */
const separateMax = 4

/**
 * Groups the enqueues that go through it. Requests with an idempotency key form their own groups, and so do those with
 * a unique key: only these can conflict with other rows and have to wait. When a group contains a request that the
 * database refuses, or a locked key, its requests are written separately, a few at a time, while the next group is
 * under way.
 */
export function createGroupedEnqueue(
  queue: { readonly enqueueMany: EnqueueMany },
  groupedOptions: GroupedEnqueueOptions = {},
): GroupedEnqueue {
  assertArguments('createGroupedEnqueue', { queue: queueRule }, [queue])
  assertKnownOptions('createGroupedEnqueue', groupedOptions, { ...groupedOptionNames, bounds: true })
  assertArguments('createGroupedEnqueue', { tracing: tracingRule }, [groupedOptions.tracing])
  return groupEnqueues({ enqueueMany: queue.enqueueMany, full: findInternals(queue)?.full }, groupedOptions)
}

/** The same on an enqueue alone, with the queues that are known to be full. */
export function groupEnqueues(
  queue: { readonly enqueueMany: EnqueueMany; readonly full: Pick<FullQueues, 'has'> | undefined },
  groupedOptions: GroupedEnqueueOptions,
): GroupedEnqueue {
  const { waitingMax = enqueueWaitingMax, tracing, bounds = unbounded, waiting = { now: 0 } } = groupedOptions
  const writeSeparately = createBounded(separateMax, (request: JobRequest) =>
    writeOne(queue.enqueueMany, request),
  )
  const createGroups = () =>
    createGroupWrites<JobRequest, Enqueued>({
      apply: async (requests) => {
        try {
          return await queue.enqueueMany(requests, {
            keyLockTimeoutMs: groupKeyLockTimeoutMs,
            onRefused: 'answer',
          })
        } catch (error) {
          if (!isErrorOfOneRequest(error)) throw error
          return requests.map(writeSeparately)
        }
      },
      groupMax: enqueueGroupMax,
      weigh: (request) => request.payloadText.length,
      weightMax: enqueueGroupBytesMax,
    })
  const [plain, keyed, unique] = [createGroups(), createGroups(), createGroups()]
  const groupsOf = ({ unique: uniqueOptions, idempotencyKey }: JobRequest) =>
    uniqueOptions !== null ? unique : idempotencyKey !== null ? keyed : plain
  const add = async (request: JobRequest): Promise<Enqueued> => {
    // A request that may be refused because its queue is full is not written with others.
    const mayBeRefused = queue.full?.has(request) === true
    const enqueued = await (mayBeRefused ? writeSeparately(request) : groupsOf(request).add(request))
    const { conflict, job } = bounds.disclose(enqueued)
    if (conflict === 'refused') throw new UniqueConflict([{ index: 0, jobId: job.id }])
    return enqueued
  }
  return {
    enqueue: async (definition, payload, options) => {
      assertArguments('enqueue', enqueueParameters, [definition, payload, options])
      const request = bounds.admit(definition.create(payload, options))
      if (waiting.now >= waitingMax) {
        throw new QueueError('overloaded', `${waitingMax} enqueues are waiting already: try again later`)
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

/** The options without the bounds, which a queue for a caller with bounds has already. */
export const groupedOptionNames = { waitingMax: true, tracing: true, waiting: true } as const

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

/** Whether one request of a group caused the error, so that the others can be written without it. */
function isErrorOfOneRequest(error: unknown): boolean {
  return (
    error instanceof QueueError &&
    (error.code === 'invalid_job' ||
      error.code === 'idempotency_key_locked' ||
      error.code === 'unique_key_locked' ||
      error.code === 'queue_full')
  )
}

async function writeOne(enqueueMany: EnqueueMany, request: JobRequest): Promise<Enqueued> {
  return onlyOf(
    await enqueueMany([request], { keyLockTimeoutMs: separateKeyLockTimeoutMs, onRefused: 'answer' }),
  )
}

function onlyOf([enqueued]: readonly Enqueued[]): Enqueued {
  if (enqueued === undefined) throw new Error('an enqueue of one job returned nothing')
  return enqueued
}

/** Limits `work` to `max` concurrent runs. Further calls wait, and run in their order. */
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
      // The slot passes directly to the next waiting call, so that a later call cannot take it first.
      if (next === undefined) running -= 1
      else next()
    }
  }
}
