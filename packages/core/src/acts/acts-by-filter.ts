// The bulk actions: which jobs each finds, and which transition it makes of each job.
import { type RawBuilder, sql } from 'kysely'
import type { Permission } from '../access/permissions.ts'
import type { AuditedAct } from '../domain/actor.ts'
import type { QueueDatabase } from '../database/connect.ts'
import { lockJobs } from '../database/lock-jobs.ts'
import type { SchemaNames } from '../database/schema-names.ts'
import type { ChangedJob, ChosenJobs } from '../database/chosen-jobs.ts'
import type { OperationAct } from '../database/operation-tables.ts'
import type { JobStatus } from '../domain/job.ts'
import type { JsonValue } from '../domain/json.ts'
import { listScanRowsMax } from '../domain/limits.ts'
import { cancelJobs, isCancellable } from '../transitions/cancel-jobs.ts'
import { deleteJobs } from '../transitions/delete-jobs.ts'
import { requeueDeadLettersOf } from '../transitions/requeue-dead-letters.ts'
import { isRequeueable, requeueJobs } from '../transitions/requeue-jobs.ts'
import { withFreeKeys } from '../unique/take-live-slots.ts'
import { isMovable, rescheduleJobs } from '../transitions/reschedule-jobs.ts'
import { rowConditions } from '../reads/job-filter.ts'
import { jobFilterOf, selectionOf } from './filter-json.ts'
import { findLatestDeadLetters, findNextDeadLetters, isSelected } from './find-dead-letters.ts'
import { type FindInput, findJobs, type FoundJobs, isFound } from './find-jobs.ts'

interface BulkActionDefinition {
  readonly permission: Permission
  readonly audited: AuditedAct
  /** The states of the jobs that it changes. */
  readonly states: readonly JobStatus[]
  /** `operation`: only workers may make this change. */
  readonly carriedOut: 'at_once' | 'operation'
  readonly changeJobs: (database: QueueDatabase, chosen: ChosenJobs, runAt: Date) => Promise<ChangedJob[]>
  /** The condition that it changes a job in these states, on the row named by the alias; absent: it changes all. */
  readonly changes?: (names: SchemaNames, alias: string, runAt: Date) => RawBuilder<unknown>
  /** Selects the rows of these jobs for `withFreeKeys`, where the action needs the unique keys of its jobs. */
  readonly needsKeys?: (names: SchemaNames, ids: readonly string[]) => RawBuilder<unknown>
}

const waiting = ['queued', 'retrying'] as const
const ended = ['failed_permanent', 'cancelled'] as const
const removable = [...waiting, ...ended, 'succeeded'] as const

export const actsByFilter: Readonly<Record<OperationAct, BulkActionDefinition>> = {
  cancel: {
    permission: 'jobs:control',
    audited: 'job.cancel',
    states: [...waiting, 'running'],
    carriedOut: 'at_once',
    changeJobs: cancelJobs,
    changes: isCancellable,
  },
  requeue: {
    permission: 'jobs:control',
    audited: 'job.requeue',
    states: ended,
    carriedOut: 'at_once',
    changeJobs: requeueJobs,
    changes: isRequeueable,
    needsKeys: ({ jobs }, ids) =>
      sql`SELECT j.id, j.tenant_id, j.kind, j.unique_key, j.unique_scope FROM ${jobs} AS j WHERE j.id = ANY(${ids}::uuid[])`,
  },
  reschedule: {
    permission: 'jobs:control',
    audited: 'job.reschedule',
    states: waiting,
    carriedOut: 'at_once',
    changeJobs: rescheduleJobs,
    changes: isMovable,
  },
  delete: {
    permission: 'jobs:delete',
    audited: 'job.delete',
    states: removable,
    carriedOut: 'operation',
    changeJobs: deleteJobs,
  },
  purge: {
    permission: 'jobs:delete',
    audited: 'queue.purge',
    states: waiting,
    carriedOut: 'operation',
    changeJobs: deleteJobs,
  },
  erase: {
    permission: 'jobs:delete',
    audited: 'job.erase',
    states: removable,
    carriedOut: 'operation',
    changeJobs: deleteJobs,
  },
  requeue_dead_letters: {
    permission: 'dead_letters:requeue',
    audited: 'dead_letter.requeue',
    states: ['failed_permanent'],
    carriedOut: 'at_once',
    changeJobs: requeueDeadLettersOf,
    needsKeys: ({ deadLetters }, ids) =>
      sql`SELECT d.job_id AS id, d.tenant_id, d.kind, d.unique_key, d.unique_scope FROM ${deadLetters} AS d WHERE d.job_id = ANY(${ids}::uuid[])`,
  },
}

/** A bulk action: what it does, and to which jobs. */
export interface BulkAction {
  readonly act: OperationAct
  /** In the names of the wire. */
  readonly filter: JsonValue
  readonly runAt: Date | null
  /** An operation changes only jobs, or dead letters, from before this instant, an SQL expression: when it was created. */
  readonly before?: RawBuilder<Date> | undefined
}

/** The jobs of a bulk action, newest first: to count them, or to change them at once. */
export function findLatest(
  database: QueueDatabase,
  action: BulkAction,
  bounds: { readonly scanMax: number; readonly max: number },
): Promise<FoundJobs> {
  const { act, filter } = action
  if (act === 'requeue_dead_letters') return findLatestDeadLetters(database, selectionOf(filter), bounds)
  return findJobs(database, {
    filter: jobFilterOf(filter),
    ...changedBy(action),
    order: 'newest_first',
    ...bounds,
  })
}

/** Those of the found jobs that the action would change now, newest first: it does not take the keys of other jobs. */
export function findChangeable(
  database: QueueDatabase,
  { act }: BulkAction,
  { ids }: FoundJobs,
): Promise<readonly string[]> {
  const { needsKeys } = actsByFilter[act]
  return needsKeys === undefined
    ? Promise.resolve(ids)
    : withFreeKeys(database, needsKeys(database.names, ids))
}

/** The jobs that an operation has left, and how many to find. */
interface OperationProgress {
  readonly after: string | null
  readonly upTo: string
  readonly max: number
}

/** The next jobs of an operation, oldest first. */
export function findNext(
  database: QueueDatabase,
  action: BulkAction,
  { after, upTo, max }: OperationProgress,
): Promise<FoundJobs> {
  const { act, filter, before } = action
  if (act === 'requeue_dead_letters') {
    const selection = selectionOf(filter)
    const isPlain = Object.keys(selection).length === 0 && database.scope === undefined
    const scanMax = isPlain ? max + 1 : listScanRowsMax
    return findNextDeadLetters(database, { selection, before }, { after, max, scanMax })
  }
  const checked = jobFilterOf(filter)
  const isPlain = rowConditions(database, checked, 's').length === 0 && database.scope === undefined
  const isByState = checked.tenantId === undefined && checked.metadata === undefined
  const scanMax = isPlain && isByState ? max + 1 : listScanRowsMax
  return findJobs(database, {
    filter: checked,
    ...changedBy(action),
    before,
    order: 'oldest_first',
    after,
    upTo,
    scanMax,
    max,
  })
}

/**
 * Changes those of these jobs that still match the filter once they are locked. The attempts of a job are rows of another
 * table, which a statement that has waited for the job reads as they were before. So a filter by attempts needs the locks
 * before the statement that decides.
 */
export async function changeJobs(
  database: QueueDatabase,
  action: BulkAction,
  ids: readonly string[],
): Promise<ChangedJob[]> {
  if (ids.length === 0) return []
  const { act, filter, before } = action
  if (act !== 'requeue_dead_letters' && jobFilterOf(filter).fingerprint !== undefined) {
    await lockJobs(database, ids)
  }
  const runAt = startOf(action)
  const condition =
    act === 'requeue_dead_letters'
      ? isSelected(database, { selection: selectionOf(filter), before })
      : isFound(database, { filter: jobFilterOf(filter), ...changedBy(action), before }, 'j')
  return actsByFilter[act].changeJobs(database, { ids, condition }, runAt)
}

/** The jobs that the action changes: their states, and the further condition. */
function changedBy(action: BulkAction): Pick<FindInput, 'states' | 'changes'> {
  const { states, changes } = actsByFilter[action.act]
  if (changes === undefined) return { states }
  return { states, changes: (names, alias) => changes(names, alias, startOf(action)) }
}

/** The new start, of which only a reschedule makes use. */
function startOf({ runAt }: BulkAction): Date {
  return runAt ?? new Date(0)
}
