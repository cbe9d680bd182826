// The bulk actions: which jobs each finds, and which transition it makes of each job.
import { type RawBuilder, sql } from 'kysely'
import type { Permission } from '../access/permissions.ts'
import type { AuditedAct } from '../audit/actor.ts'
import type { QueueDatabase } from '../database/connect.ts'
import { instantParameter } from '../database/instant.ts'
import type { ChangedJob, ChosenJobs } from '../database/chosen-jobs.ts'
import type { OperationAct } from '../database/operation-tables.ts'
import type { JobStatus } from '../domain/job.ts'
import type { JsonValue } from '../domain/json.ts'
import { listScanRowsMax } from '../domain/limits.ts'
import { cancelJobs } from '../transitions/cancel-jobs.ts'
import { deleteJobs } from '../transitions/delete-jobs.ts'
import { requeueDeadLettersOf } from '../transitions/requeue-dead-letters.ts'
import { requeueJobs } from '../transitions/requeue-jobs.ts'
import { rescheduleJobs } from '../transitions/reschedule-jobs.ts'
import { rowConditions } from '../reads/job-filter.ts'
import { jobFilterOf, selectionOf } from './filter-json.ts'
import { findLatestDeadLetters, findNextDeadLetters, isSelected } from './find-dead-letters.ts'
import { findJobs, type FoundJobs, isFound } from './find-jobs.ts'

interface BulkActionDefinition {
  readonly permission: Permission
  readonly audited: AuditedAct
  /** The states of the jobs that it changes. */
  readonly states: readonly JobStatus[]
  /** `operation`: only workers may make this change. */
  readonly carriedOut: 'at_once' | 'operation'
  readonly changeJobs: (
    database: QueueDatabase,
    chosen: ChosenJobs,
    runAt: RawBuilder<Date>,
  ) => Promise<ChangedJob[]>
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
  },
  requeue: {
    permission: 'jobs:control',
    audited: 'job.requeue',
    states: ended,
    carriedOut: 'at_once',
    changeJobs: requeueJobs,
  },
  reschedule: {
    permission: 'jobs:control',
    audited: 'job.reschedule',
    states: waiting,
    carriedOut: 'at_once',
    changeJobs: rescheduleJobs,
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
  { act, filter }: BulkAction,
  bounds: { readonly scanMax: number; readonly max: number },
): Promise<FoundJobs> {
  if (act === 'requeue_dead_letters') return findLatestDeadLetters(database, selectionOf(filter), bounds)
  const { states } = actsByFilter[act]
  return findJobs(database, { filter: jobFilterOf(filter), states, order: 'newest_first', ...bounds })
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
  { act, filter, before }: BulkAction,
  { after, upTo, max }: OperationProgress,
): Promise<FoundJobs> {
  const { states } = actsByFilter[act]
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
    states,
    before,
    order: 'oldest_first',
    after,
    upTo,
    scanMax,
    max,
  })
}

/** Changes those of these jobs that still match the filter once they are locked. */
export function changeJobs(
  database: QueueDatabase,
  { act, filter, runAt, before }: BulkAction,
  ids: readonly string[],
): Promise<ChangedJob[]> {
  if (ids.length === 0) return Promise.resolve([])
  const { changeJobs: changeLocked, states } = actsByFilter[act]
  const condition =
    act === 'requeue_dead_letters'
      ? isSelected(database, { selection: selectionOf(filter), before })
      : isFound(database, { filter: jobFilterOf(filter), states, before }, 'j')
  return changeLocked(
    database,
    { ids, condition },
    runAt === null ? sql<Date>`now()` : instantParameter(runAt),
  )
}
