import { toRefused } from '@queue/postgres'
import { z } from 'zod'
import type { ActDatabase, Perform, Told } from '../acts.ts'
import type { Actor } from '../audit/actor.ts'
import type { QueueDatabase } from '../database/connect.ts'
import { createIdMint } from '../database/id-mint.ts'
import type { Notification } from '../database/notifications.ts'
import type { ChangedJob, PreviousStart } from '../database/chosen-jobs.ts'
import type { OperationAct } from '../database/operation-tables.ts'
import type { DeadLetterSelection } from '../dead-letters/dead-letters.ts'
import { jobFields } from '../domain/job.ts'
import { parseOrThrow } from '../domain/job-definition.ts'
import { isJobId } from '../domain/job-id.ts'
import { actAtOnceMax } from '../domain/limits.ts'
import type { JobFilter } from '../reads/job-filter.ts'
import { countCancelled } from '../stats/count-cancelled.ts'
import { restoreStarts } from '../transitions/restore-starts.ts'
import { actsByFilter } from './acts-by-filter.ts'
import {
  actOnMany,
  doneOf,
  type DryRun,
  dryRun,
  type ManyOptions,
  manyRequest,
  type ManyResult,
} from './acts-on-many.ts'
import { cancelOperation } from './cancel-operation.ts'
import type { Operation } from './operation-row.ts'
import { getOperation, listOperations, type OperationFilter, type OperationPage } from './read-operations.ts'

export type RescheduleOptions = ManyOptions & {
  /** The earliest start; a past instant counts as now. */
  readonly runAt: Date
}

/**
 * Acts on the jobs of a filter: up to 1 000 at once, all or none, and more as an operation that workers carry out. Each throws
 * `invalid_options` for a filter that is none.
 */
export interface ManyActs {
  /** Cancels those that wait, and asks for the cancel of those that run. */
  cancel(filter: JobFilter, options?: ManyOptions): Promise<ManyResult>
  /** Gives those that failed for good or were cancelled a new life. */
  requeue(filter: JobFilter, options?: ManyOptions): Promise<ManyResult>
  /** Moves the earliest start of those that wait. */
  reschedule(filter: JobFilter, options: RescheduleOptions): Promise<ManyResult>
  /**
   * Takes back a reschedule that was done at once, by what it has answered, of up to 1 000 jobs: each that waits, and was not
   * changed since, may start when it could before. The others are skipped.
   */
  undoReschedule(previous: readonly PreviousStart[]): Promise<ManyResult>
  /** Removes those that do not run, always as an operation. */
  delete(filter: JobFilter, options?: ManyOptions): Promise<ManyResult>
  /** Removes those that do not run, and from the audit log what names them, always as an operation. */
  erase(filter: JobFilter, options?: ManyOptions): Promise<ManyResult>
  /** Removes what waits in a queue, always as an operation. */
  purge(queue: string, options?: ManyOptions): Promise<ManyResult>
  /** Requeues the jobs of dead letters. */
  requeueDeadLetters(selection: DeadLetterSelection, options?: ManyOptions): Promise<ManyResult>
  /** Ends an operation: once this has answered, it changes no further job. Throws `operation_not_found`. */
  cancelOperation(id: string): Promise<Operation>
}

/** The operations that workers carry out, and what one would do. */
export interface Operations {
  /** The operation, or undefined when there is none. */
  get(id: string): Promise<Operation | undefined>
  /** One page, the newest first. */
  list(filter?: OperationFilter): Promise<OperationPage>
  /** What an act by filter would do now. */
  dryRun(act: Exclude<OperationAct, 'requeue_dead_letters'>, filter: JobFilter): Promise<DryRun>
  /** What a requeue of dead letters would do now. */
  dryRunOfDeadLetters(selection: DeadLetterSelection): Promise<DryRun>
}

type Own = <Filter extends JobFilter | DeadLetterSelection>(filter: Filter) => Filter

export function operationReads(database: QueueDatabase, own: Own = (filter) => filter): Operations {
  const run = async (act: OperationAct, filter: JobFilter | DeadLetterSelection): Promise<DryRun> =>
    dryRun(database, manyRequest(act, own(filter)))
  return {
    get: (id) => getOperation(database, id),
    list: (filter) => listOperations(database, filter),
    dryRun: run,
    dryRunOfDeadLetters: (selection) => run('requeue_dead_letters', selection),
  }
}

interface Deps extends Told {
  readonly by: Actor | undefined
}

export function manyActs(perform: Perform, { notifier, counter, by }: Deps): ManyActs {
  const mintIds = createIdMint()
  const act = async (
    name: OperationAct,
    filter: JobFilter | DeadLetterSelection,
    options?: ManyOptions & { readonly runAt?: Date },
  ): Promise<ManyResult> => {
    const request = manyRequest(name, filter, options)
    const { result, jobs } = await perform({
      act: actsByFilter[name].audited,
      work: (database: ActDatabase) => actOnMany(database, request, { by, mintIds }),
      changeOf: (done) => ({
        count: done.jobs.length,
        filter: request.filter,
        jobIds: done.jobs.map(({ id }) => id),
        ...(done.result.outcome === 'operation' && { target: done.result.operation.id }),
      }),
    }).catch(asRefused)
    notifier.tell(result.outcome === 'operation' ? [{ type: 'operations' }] : notificationsOf(name, jobs))
    if (counter !== undefined && countCancelledOf(jobs, counter) > 0) counter.flushSoon()
    return result
  }
  return {
    cancel: (filter, options) => act('cancel', filter, options),
    requeue: (filter, options) => act('requeue', filter, options),
    reschedule: (filter, options) => act('reschedule', filter, options),
    undoReschedule: async (previous) => {
      const starts = checkedStarts(previous)
      const jobs = await perform({
        act: 'job.reschedule',
        work: (database: ActDatabase) => restoreStarts(database, starts),
        changeOf: (changed) => ({ count: changed.length, jobIds: changed.map(({ id }) => id) }),
      }).catch(asRefused)
      // It may have been due for long: a scan has gone past its place.
      notifier.tell(queuesOf(jobs).map((queue) => ({ type: 'rescan', queue })))
      return doneOf(jobs, previous.length)
    },
    delete: (filter, options) => act('delete', filter, options),
    erase: (filter, options) => act('erase', filter, options),
    purge: (queue, options) => act('purge', { queue }, options),
    requeueDeadLetters: (selection, options) => act('requeue_dead_letters', selection, options),
    cancelOperation: (id) =>
      perform({
        act: 'operation.cancel',
        work: (database) => cancelOperation(database, id),
        changeOf: (operation) => ({ count: operation.state === 'cancelled' ? 1 : 0, target: id }),
      }).catch(asRefused),
  }
}

const startsSchema = z
  .array(z.strictObject({ id: z.string(), runAt: jobFields.runAt, changedAt: z.date() }))
  .max(actAtOnceMax)

/** Each job once. A text that is no id names no job. Throws `invalid_options`. */
function checkedStarts(previous: readonly PreviousStart[]): PreviousStart[] {
  const starts = parseOrThrow(startsSchema, previous, 'invalid_options').filter(({ id }) => isJobId(id))
  return [...new Map(starts.map((start) => [start.id, start])).values()]
}

function asRefused(error: unknown): never {
  throw toRefused(error)
}

/** What the workers are told of jobs that an act by filter has changed. */
export function notificationsOf(act: OperationAct, jobs: readonly ChangedJob[]): Notification[] {
  if (act === 'cancel') {
    const running = jobs.find(({ status }) => status === 'running')
    return running === undefined ? [] : [{ type: 'cancel', jobId: running.id }]
  }
  if (act !== 'requeue' && act !== 'requeue_dead_letters' && act !== 'reschedule') return []
  return queuesOf(jobs).map((queue) => ({ type: 'queue', queue }))
}

function queuesOf(jobs: readonly ChangedJob[]): readonly string[] {
  return [...new Set(jobs.map(({ queue }) => queue))]
}

/** Counts those that the act has cancelled while they waited, and says how many. */
export function countCancelledOf(
  jobs: readonly ChangedJob[],
  counter: Parameters<typeof countCancelled>[1],
): number {
  const cancelled = jobs.flatMap((job) => job.cancelled ?? [])
  for (const job of cancelled) countCancelled(job, counter)
  return cancelled.length
}

/** The same acts, on the filters that `own` lets through. */
export function manyActsWithin(many: ManyActs, own: Own): ManyActs {
  return {
    ...many,
    cancel: async (filter, options) => many.cancel(own(filter), options),
    requeue: async (filter, options) => many.requeue(own(filter), options),
    reschedule: async (filter, options) => many.reschedule(own(filter), options),
    delete: async (filter, options) => many.delete(own(filter), options),
    erase: async (filter, options) => many.erase(own(filter), options),
    requeueDeadLetters: async (selection, options) => many.requeueDeadLetters(own(selection), options),
  }
}
