import { z } from 'zod'
import type { ActDatabase } from '../acts.ts'
import type { Actor } from '../audit/actor.ts'
import type { QueueDatabase } from '../database/connect.ts'
import type { ChangedJob, PreviousStart } from '../database/chosen-jobs.ts'
import type { MintIds } from '../database/id-mint.ts'
import type { OperationAct } from '../database/operation-tables.ts'
import { type DeadLetterSelection, deadLetterSelectionSchema } from '../dead-letters/dead-letters.ts'
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
import { actsByFilter, type Asked, change, findLatest } from './acts-by-filter.ts'
import { filterToJson } from './filter-json.ts'
import type { Operation } from './operation-row.ts'
import { startOperation } from './start-operation.ts'

export const manyOptionFields = {
  /** Jobs a second, at most, 1 to 100 000; workers then carry it out, however few there are. */
  rate: z.int().min(1).max(operationRateMax).optional(),
}

export type ManyOptions = OptionsOf<typeof manyOptionFields>

/** What an act by filter has done, or what workers will do. */
export type ManyResult =
  | {
      readonly outcome: 'done'
      /** The jobs that were changed. */
      readonly jobIds: readonly string[]
      /** Jobs that were found, and were no longer such once they were locked. */
      readonly skipped: number
      /** Of a reschedule, for each of these jobs: what `undoReschedule` takes. Else empty. */
      readonly previous: readonly PreviousStart[]
    }
  | { readonly outcome: 'operation'; readonly operation: Operation }

/** What an act by filter would do. */
export interface DryRun {
  /** How many jobs it finds, 100 000 at most. */
  readonly count: number
  /** Whether there may be more than were counted. */
  readonly isLeast: boolean
  /** Whether workers would carry it out, also without a rate. */
  readonly byWorkers: boolean
  /** How far it has looked, where it has not looked at all of them. */
  readonly scanned: Scanned | null
  /** Up to ten of them, the newest first. */
  readonly sample: readonly string[]
}

/** What each act is about. */
export interface ManyRequest extends Asked {
  readonly rate: number | null
}

const optionsSchema = z.strictObject(manyOptionFields)

/** Throws `invalid_options`. */
export function manyRequest(
  act: OperationAct,
  filter: JobFilter | DeadLetterSelection,
  { runAt = null, ...options }: ManyOptions & { readonly runAt?: Date | null } = {},
): ManyRequest {
  const schema = act === 'requeue_dead_letters' ? deadLetterSelectionSchema : jobFilterSchema
  const checked = parseOrThrow(schema, filter, 'invalid_options')
  const { rate = null } = parseOrThrow(optionsSchema, options, 'invalid_options')
  if (runAt !== null) parseOrThrow(jobFields.runAt, runAt, 'invalid_options')
  return { act, filter: filterToJson(checked), runAt, rate }
}

export interface ManyDeps {
  readonly by: Actor | undefined
  readonly mintIds: MintIds
}

/** What was done, with what the workers are told of it. */
export interface Done {
  readonly result: ManyResult
  readonly jobs: readonly ChangedJob[]
}

/** Changes the jobs at once where they are few, and else makes an operation of it. */
export function actOnMany(database: ActDatabase, request: ManyRequest, deps: ManyDeps): Promise<Done> {
  return database.transaction(async (inside) => {
    const found = await findFew(inside, request)
    if (found === undefined) {
      const operation = await startOperation(inside, request, deps)
      return { result: { outcome: 'operation', operation }, jobs: [] }
    }
    const jobs = await change(inside, request, found)
    return { result: doneOf(jobs, found.length), jobs }
  })
}

/** What has become of so many jobs, of which these were changed. */
export function doneOf(jobs: readonly ChangedJob[], found: number): Extract<ManyResult, { outcome: 'done' }> {
  const previous = jobs.flatMap((job) => job.previous ?? [])
  return { outcome: 'done', jobIds: jobs.map(({ id }) => id), skipped: found - jobs.length, previous }
}

/** The jobs, where they are few enough to be changed at once by whoever asks; undefined: workers do it. */
async function findFew(
  database: QueueDatabase,
  request: ManyRequest,
): Promise<readonly string[] | undefined> {
  if (request.rate !== null || actsByFilter[request.act].carriedOut === 'operation') return undefined
  const bounds = { scanMax: listScanRowsMax, max: actAtOnceMax }
  const { ids, scanEnd } = await findLatest(database, request, bounds)
  return scanEnd === null ? ids : undefined
}

/** What an act would do now. Throws `invalid_options`. */
export async function dryRun(database: QueueDatabase, asked: Asked): Promise<DryRun> {
  const bounds = { scanMax: actCountedMax, max: actCountedMax }
  const { ids, rows, scanEnd } = await findLatest(database, asked, bounds)
  return {
    count: ids.length,
    isLeast: scanEnd !== null,
    byWorkers:
      actsByFilter[asked.act].carriedOut === 'operation' ||
      ids.length > actAtOnceMax ||
      rows >= listScanRowsMax,
    scanned: scanEnd === null ? null : { rows, backTo: new Date(createdMsOf(scanEnd)) },
    sample: ids.slice(0, actSampleMax),
  }
}
