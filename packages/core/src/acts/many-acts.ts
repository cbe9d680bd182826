import { toRefused } from '@queue/postgres'
import { z } from 'zod'
import type { ActDatabase, Perform } from '../audit/perform.ts'
import type { ActEffects } from './act-effects.ts'
import type { Actor, AuditedAct } from '../domain/actor.ts'
import { changeOn } from '../audit/write-audit-entry.ts'
import type { QueueDatabase } from '../database/connect.ts'
import { createIdMint } from '../database/id-mint.ts'
import type { Notification } from '../database/notifications.ts'
import type { CancelledJob, ChangedJob, PreviousStart, RequeuedJob } from '../database/chosen-jobs.ts'
import type { OperationAct } from '../database/operation-tables.ts'
import type { DeadLetterSelection } from '../reads/dead-letters.ts'
import { jobFields } from '../domain/job.ts'
import { parseOrThrow } from '../domain/job-definition.ts'
import { isJobId } from '../domain/job-id.ts'
import { actAtOnceMax } from '../domain/limits.ts'
import type { JobFilter } from '../reads/job-filter.ts'
import { countCancelled } from '../insight/count-cancelled.ts'
import { restoreCancelledJobs } from '../transitions/restore-cancelled-jobs.ts'
import { restoreRequeuedJobs } from '../transitions/restore-requeued-jobs.ts'
import { restoreStarts } from '../transitions/restore-starts.ts'
import { actsByFilter } from './acts-by-filter.ts'
import {
  actOnMany,
  type ByFilterOptions,
  doneResult,
  dryAction,
  type DryRun,
  dryRun,
  type ManyOptions,
  manyRequest,
  type ManyResult,
} from './acts-on-many.ts'
import { cancelOperation } from './cancel-operation.ts'
import type { Operation } from './operation-row.ts'
import { getOperation, listOperations, type OperationFilter, type OperationPage } from './read-operations.ts'

export type RescheduleOptions = ByFilterOptions & {
  /** The earliest start. A past instant counts as now. */
  readonly runAt: Date
}

/**
 * Bulk actions on the jobs of a filter: up to 1 000 are changed at once, all or none, and more become an operation that
 * workers carry out. Each throws `invalid_options` for an invalid filter, and `selects_everything` for one without a
 * condition, unless `all` is true.
 */
export interface ManyActs {
  /** Cancels waiting jobs, and requests the cancel of running ones. */
  cancel(filter: JobFilter, options?: ByFilterOptions): Promise<ManyResult>
  /** Requeues jobs that failed permanently or were cancelled. */
  requeue(filter: JobFilter, options?: ByFilterOptions): Promise<ManyResult>
  /** Moves the earliest start of waiting jobs, except those that would expire before it. */
  reschedule(filter: JobFilter, options: RescheduleOptions): Promise<ManyResult>
  /**
   * Undoes a reschedule that was done at once, from the `previous` of its result, for up to 1 000 jobs. Each job that
   * waits, and was not changed since, can start when it could before. Other jobs are skipped.
   */
  undoReschedule(previous: readonly PreviousStart[]): Promise<ManyResult>
  /**
   * Undoes the cancel of waiting jobs that was done at once, from the `cancelled` of its result, for up to 1 000 jobs.
   * Each job that nothing has changed since waits again as it did. Other jobs are skipped, and so are jobs whose unique
   * key another job holds by now: `unique_conflict` where that leaves none.
   */
  undoCancel(cancelled: readonly CancelledJob[]): Promise<ManyResult>
  /**
   * Undoes a requeue that was done at once, from the `requeued` of its result, for up to 1 000 jobs. Each job that
   * nothing has changed since has ended as it had, and its dead letter is there again. Other jobs are skipped, and so are
   * all of them an hour after their requeue.
   */
  undoRequeue(requeued: readonly RequeuedJob[]): Promise<ManyResult>
  /** Removes jobs that are not running. Always an operation. */
  delete(filter: JobFilter, options?: ByFilterOptions): Promise<ManyResult>
  /** Removes jobs that are not running, and what names them in the audit log. Always an operation. */
  erase(filter: JobFilter, options?: ByFilterOptions): Promise<ManyResult>
  /** Removes the waiting jobs of a queue. Always an operation. */
  purge(queue: string, options?: ManyOptions): Promise<ManyResult>
  /** Requeues the jobs of dead letters. */
  requeueDeadLetters(selection: DeadLetterSelection, options?: ByFilterOptions): Promise<ManyResult>
  /** Cancels an operation. Once this has returned, it changes no further job. Throws `operation_not_found`. */
  cancelOperation(id: string): Promise<Operation>
}

/** The operations that workers carry out, and dry runs of bulk actions. */
export interface Operations {
  /** The operation; undefined when there is none. */
  get(id: string): Promise<Operation | undefined>
  /** One page of operations, newest first. */
  list(filter?: OperationFilter): Promise<OperationPage>
  /** What a bulk action would do now, also without a condition; of a reschedule, one to this start (default: now). */
  dryRun(
    act: Exclude<OperationAct, 'requeue_dead_letters'>,
    filter: JobFilter,
    options?: Partial<Pick<RescheduleOptions, 'runAt'>>,
  ): Promise<DryRun>
  /** What a requeue of dead letters would do now. */
  dryRunOfDeadLetters(selection: DeadLetterSelection): Promise<DryRun>
}

/** Returns a filter that a caller may use, and throws for any other. */
type FilterGuard = <Filter extends JobFilter | DeadLetterSelection>(filter: Filter) => Filter

export function operationReads(database: QueueDatabase, guard: FilterGuard = (filter) => filter): Operations {
  const run = async (
    act: OperationAct,
    filter: JobFilter | DeadLetterSelection,
    options?: Partial<Pick<RescheduleOptions, 'runAt'>>,
  ): Promise<DryRun> => dryRun(database, dryAction(act, guard(filter), options))
  return {
    get: (id) => getOperation(database, id),
    list: (filter) => listOperations(database, filter),
    dryRun: run,
    dryRunOfDeadLetters: (selection) => run('requeue_dead_letters', selection),
  }
}

interface ManyActsDeps extends ActEffects {
  readonly by: Actor | undefined
}

export function manyActs(perform: Perform, { notifier, counter, by }: ManyActsDeps): ManyActs {
  const mintIds = createIdMint()
  const act = async (
    name: OperationAct,
    filter: JobFilter | DeadLetterSelection,
    options?: ByFilterOptions & { readonly runAt?: Date },
  ): Promise<ManyResult> => {
    const request = manyRequest(name, filter, options)
    const { result, jobs } = await perform({
      act: actsByFilter[name].audited,
      work: (database: ActDatabase) => actOnMany(database, request, { by, mintIds }),
      changeOf: (done) => ({
        count: done.jobs.length,
        // The filter of an erasure may tell whose the jobs were.
        ...(name !== 'erase' && { filter: request.filter }),
        jobIds: done.jobs.map(({ id }) => id),
        ...(done.result.outcome === 'operation' && { target: done.result.operation.id }),
      }),
    }).catch(throwRefused)
    notifier.tell(result.outcome === 'operation' ? [{ type: 'operations' }] : notificationsOf(name, jobs))
    if (counter !== undefined && countCancelledOf(jobs, counter) > 0) counter.flushSoon()
    return result
  }
  const undo = async (
    name: AuditedAct,
    work: (database: ActDatabase) => Promise<ChangedJob[]>,
  ): Promise<readonly ChangedJob[]> => {
    const changeOf = (changed: readonly ChangedJob[]) => ({
      count: changed.length,
      jobIds: changed.map(({ id }) => id),
    })
    const jobs = await perform({ act: name, work, changeOf }).catch(throwRefused)
    // The restored start may be long past, before the scan positions of the workers.
    notifier.tell(queuesOf(jobs).map((queue) => ({ type: 'rescan', queue })))
    return jobs
  }
  return {
    cancel: (filter, options) => act('cancel', filter, options),
    requeue: (filter, options) => act('requeue', filter, options),
    reschedule: (filter, options) => act('reschedule', filter, options),
    undoReschedule: async (previous) => {
      const starts = checkedUndo(startsSchema, previous)
      const jobs = await undo('job.reschedule', (database) => restoreStarts(database, starts))
      return doneResult(jobs, countJobs(previous))
    },
    undoCancel: async (cancelled) => {
      const checked = checkedUndo(cancelledSchema, cancelled)
      const restore = ({ transaction }: ActDatabase) =>
        transaction((inside) => restoreCancelledJobs(inside, checked))
      return doneResult(await undo('job.requeue', restore), countJobs(cancelled))
    },
    undoRequeue: async (requeued) => {
      const checked = checkedUndo(requeuedSchema, requeued)
      const jobs = await undo('job.undo_requeue', (database) => restoreRequeuedJobs(database, checked))
      return doneResult(jobs, countJobs(requeued))
    },
    delete: (filter, options) => act('delete', filter, options),
    erase: (filter, options) => act('erase', filter, options),
    purge: (queue, options) => act('purge', { queue }, options),
    requeueDeadLetters: (selection, options) => act('requeue_dead_letters', selection, options),
    cancelOperation: async (id) => {
      const work = (database: QueueDatabase) => cancelOperation(database, id)
      const performed = perform({ act: 'operation.cancel', work, changeOf: changeOn(id) })
      return (await performed.catch(throwRefused)).result
    },
  }
}

const startsSchema = z
  .array(z.strictObject({ id: z.string(), runAt: jobFields.runAt, changedAt: z.date() }))
  .max(actAtOnceMax)

const cancelledSchema = z
  .array(z.strictObject({ id: z.string(), status: z.enum(['queued', 'retrying']), changedAt: z.date() }))
  .max(actAtOnceMax)

const requeuedSchema = z.array(z.strictObject({ id: z.string(), changedAt: z.date() })).max(actAtOnceMax)

/** How many jobs a list names, existing or not. */
function countJobs(items: readonly { readonly id: string }[]): number {
  return new Set(items.map(({ id }) => id.toLowerCase())).size
}

/** What to restore, once for each job. Texts that are not ids are dropped. Throws `invalid_options`. */
function checkedUndo<Item extends { readonly id: string }>(
  schema: z.ZodType<Item[]>,
  items: readonly Item[],
): Item[] {
  const checked = parseOrThrow(schema, items, 'invalid_options').filter(({ id }) => isJobId(id))
  return [...new Map(checked.map((item) => [item.id.toLowerCase(), item])).values()]
}

/** Throws `refused` where the database does not allow the change; any other error unchanged. */
function throwRefused(error: unknown): never {
  throw toRefused(error)
}

/** The notifications for jobs that a bulk action has changed. */
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

/** Counts the waiting jobs that the action has cancelled, and returns their number. */
export function countCancelledOf(
  jobs: readonly ChangedJob[],
  counter: Parameters<typeof countCancelled>[1],
): number {
  const cancelled = jobs.flatMap((job) => job.cancelled ?? [])
  for (const job of cancelled) countCancelled(job, counter)
  return cancelled.length
}

/** The same acts, for the filters that `guard` lets through. */
export function manyActsWithin(many: ManyActs, guard: FilterGuard): ManyActs {
  return {
    ...many,
    cancel: async (filter, options) => many.cancel(guard(filter), options),
    requeue: async (filter, options) => many.requeue(guard(filter), options),
    reschedule: async (filter, options) => many.reschedule(guard(filter), options),
    delete: async (filter, options) => many.delete(guard(filter), options),
    erase: async (filter, options) => many.erase(guard(filter), options),
    requeueDeadLetters: async (selection, options) => many.requeueDeadLetters(guard(selection), options),
  }
}
