import { z } from 'zod'
import type { ActDatabase } from '../audit/perform.ts'
import type { Actor } from '../domain/actor.ts'
import type { QueueDatabase } from '../database/connect.ts'
import type { CancelledJob, ChangedJob, PreviousStart, RequeuedJob } from '../database/chosen-jobs.ts'
import type { MintIds } from '../database/id-mint.ts'
import type { OperationAct } from '../database/operation-tables.ts'
import { type DeadLetterSelection, deadLetterSelectionSchema } from '../reads/dead-letters.ts'
import { jobFields } from '../domain/job.ts'
import { parseOrThrow } from '../domain/job-definition.ts'
import {
  actAtOnceMax,
  actCountedMax,
  actSampleMax,
  listScanRowsMax,
  operationRateMax,
} from '../domain/limits.ts'
import { createdMsOf } from '../domain/job-id.ts'
import type { OptionsOf } from '../domain/options-of.ts'
import { type JobFilter, jobFilterSchema, type Scanned } from '../reads/job-filter.ts'
import { actsByFilter, type BulkAction, changeJobs, findChangeable, findLatest } from './acts-by-filter.ts'
import { type AllOption, allFields, assertSelects, parseActFilter } from './assert-selects.ts'
import { filterToJson } from './filter-json.ts'
import type { Operation } from './operation-row.ts'
import { startOperation } from './start-operation.ts'

export const manyOptionFields = {
  /** The most jobs per second, 1 to 100 000. With a rate, workers carry it out, however few jobs there are. */
  rate: z.int().min(1).max(operationRateMax).optional(),
}

export type ManyOptions = OptionsOf<typeof manyOptionFields>

/** The options of a bulk action by filter. */
export type ByFilterOptions = ManyOptions & AllOption

/** The result of a bulk action: the changed jobs, or the operation that workers carry out. */
export type ManyResult =
  | {
      readonly outcome: 'done'
      /** The jobs that were changed. */
      readonly jobIds: readonly string[]
      /** Jobs that matched the filter, but no longer did once they were locked. */
      readonly skipped: number
      /** For a reschedule: the previous start of each of these jobs, for `undoReschedule`. Otherwise empty. */
      readonly previous: readonly PreviousStart[]
      /** For a cancel: the previous state of each of these jobs that waited, for `undoCancel`. Otherwise empty. */
      readonly cancelled: readonly CancelledJob[]
      /** For a requeue: these jobs, for `undoRequeue`. Otherwise empty. */
      readonly requeued: readonly RequeuedJob[]
    }
  | { readonly outcome: 'operation'; readonly operation: Operation }

/** What a bulk action would do. */
export interface DryRun {
  /** How many jobs it would change, at most 100 000. */
  readonly count: number
  /** Whether there may be more jobs than were counted. */
  readonly isLeast: boolean
  /** Whether workers would carry it out, even without a rate. */
  readonly byWorkers: boolean
  /** How far the scan got, where it did not read all rows; null otherwise. */
  readonly scanned: Scanned | null
  /** Up to ten of the jobs, newest first. */
  readonly sample: readonly string[]
}

/** A bulk action, and the rate at which workers carry it out. */
export interface ManyRequest extends BulkAction {
  readonly rate: number | null
}

/** What an act and its dry run take beside the filter. */
interface ActOptions extends ByFilterOptions {
  readonly runAt?: Date | undefined
}

interface ActSchemas {
  readonly options: z.ZodType<ActOptions>
  readonly dryRun: z.ZodType<Pick<ActOptions, 'runAt'>>
}

const byFilter: ActSchemas = {
  options: z.strictObject({ ...manyOptionFields, ...allFields }),
  dryRun: z.strictObject({}),
}

/** The options of each act. A reschedule without its start would make every job due now. */
const schemas: Readonly<Record<OperationAct, ActSchemas>> = {
  cancel: byFilter,
  requeue: byFilter,
  reschedule: {
    options: z.strictObject({ runAt: jobFields.runAt, ...manyOptionFields, ...allFields }),
    dryRun: z.strictObject({ runAt: jobFields.runAt.optional() }),
  },
  delete: byFilter,
  purge: { ...byFilter, options: z.strictObject(manyOptionFields) },
  erase: byFilter,
  requeue_dead_letters: byFilter,
}

/** The checked request of a bulk action. Throws `invalid_options`, and `selects_everything`. */
export function manyRequest(
  act: OperationAct,
  filter: JobFilter | DeadLetterSelection,
  options: ActOptions = {},
): ManyRequest {
  const { all, rate = null, runAt } = parseOrThrow(schemas[act].options, options, 'invalid_options')
  const checked = checkedAction(act, filter, runAt)
  assertSelects(checked.filter as object, { all })
  return { ...checked, rate }
}

/** The checked action of a dry run, which may be without a condition. Throws `invalid_options`. */
export function dryAction(
  act: OperationAct,
  filter: JobFilter | DeadLetterSelection,
  options: Pick<ActOptions, 'runAt'> = {},
): BulkAction {
  const { runAt } = parseOrThrow(schemas[act].dryRun, options, 'invalid_options')
  return checkedAction(act, filter, runAt)
}

function checkedAction(
  act: OperationAct,
  filter: JobFilter | DeadLetterSelection,
  runAt: Date | null = null,
): BulkAction {
  const schema = act === 'requeue_dead_letters' ? deadLetterSelectionSchema : jobFilterSchema
  const checked = parseActFilter<z.ZodType<JobFilter | DeadLetterSelection>>(schema, filter)
  return { act, filter: filterToJson(checked), runAt }
}

export interface ManyDeps {
  readonly by: Actor | undefined
  readonly mintIds: MintIds
}

/** The result of a bulk action, and the changed jobs, which are counted and of which workers are notified. */
export interface BulkOutcome {
  readonly result: ManyResult
  readonly jobs: readonly ChangedJob[]
}

/** Changes the jobs at once where they are few, and otherwise starts an operation. */
export function actOnMany(database: ActDatabase, request: ManyRequest, deps: ManyDeps): Promise<BulkOutcome> {
  return database.transaction(async (inside) => {
    const ids = await findFew(inside, request)
    if (ids === undefined) {
      const operation = await startOperation(inside, request, deps)
      return { result: { outcome: 'operation', operation }, jobs: [] }
    }
    const jobs = await changeJobs(inside, request, ids)
    return { result: doneResult(jobs, ids.length), jobs }
  })
}

/** The result for `found` jobs of which these were changed. */
export function doneResult(
  jobs: readonly ChangedJob[],
  found: number,
): Extract<ManyResult, { outcome: 'done' }> {
  const previous = jobs.flatMap((job) => job.previous ?? [])
  const cancelled = jobs.flatMap((job) => job.waited ?? [])
  const requeued = jobs.flatMap((job) => job.requeued ?? [])
  return {
    outcome: 'done',
    jobIds: jobs.map(({ id }) => id),
    skipped: found - jobs.length,
    previous,
    cancelled,
    requeued,
  }
}

/** The ids of the jobs, where they are few enough to be changed at once; undefined: workers must change them. */
async function findFew(
  database: QueueDatabase,
  request: ManyRequest,
): Promise<readonly string[] | undefined> {
  if (request.rate !== null || actsByFilter[request.act].carriedOut === 'operation') return undefined
  const bounds = { scanMax: listScanRowsMax, max: actAtOnceMax }
  const { ids, scanEnd } = await findLatest(database, request, bounds)
  return scanEnd === null ? ids : undefined
}

/** What a bulk action would do now. Throws `invalid_options`. */
export async function dryRun(database: QueueDatabase, action: BulkAction): Promise<DryRun> {
  const bounds = { scanMax: actCountedMax, max: actCountedMax }
  const found = await findLatest(database, action, bounds)
  const { ids, rows, scanEnd } = found
  const changeable = await findChangeable(database, action, found)
  return {
    count: changeable.length,
    isLeast: scanEnd !== null,
    byWorkers:
      actsByFilter[action.act].carriedOut === 'operation' ||
      ids.length > actAtOnceMax ||
      rows >= listScanRowsMax,
    scanned: scanEnd === null ? null : { rows, backTo: new Date(createdMsOf(scanEnd)) },
    sample: changeable.slice(0, actSampleMax),
  }
}
