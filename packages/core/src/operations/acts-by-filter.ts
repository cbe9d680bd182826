// What each act by filter is: the jobs that it finds, and the transition that it makes of each.
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

interface ActByFilter {
  readonly permission: Permission
  readonly audited: AuditedAct
  /** The states in which it changes a job. */
  readonly states: readonly JobStatus[]
  /** `operation`: only workers may make this change. */
  readonly carriedOut: 'at_once' | 'operation'
  readonly change: (
    database: QueueDatabase,
    chosen: ChosenJobs,
    runAt: RawBuilder<Date>,
  ) => Promise<ChangedJob[]>
}

const waiting = ['queued', 'retrying'] as const
const ended = ['failed_permanent', 'cancelled'] as const
const removable = [...waiting, ...ended, 'succeeded'] as const

export const actsByFilter: Readonly<Record<OperationAct, ActByFilter>> = {
  cancel: {
    permission: 'jobs:control',
    audited: 'job.cancel',
    states: [...waiting, 'running'],
    carriedOut: 'at_once',
    change: cancelJobs,
  },
  requeue: {
    permission: 'jobs:control',
    audited: 'job.requeue',
    states: ended,
    carriedOut: 'at_once',
    change: requeueJobs,
  },
  reschedule: {
    permission: 'jobs:control',
    audited: 'job.reschedule',
    states: waiting,
    carriedOut: 'at_once',
    change: rescheduleJobs,
  },
  delete: {
    permission: 'jobs:delete',
    audited: 'job.delete',
    states: removable,
    carriedOut: 'operation',
    change: deleteJobs,
  },
  purge: {
    permission: 'jobs:delete',
    audited: 'queue.purge',
    states: waiting,
    carriedOut: 'operation',
    change: deleteJobs,
  },
  erase: {
    permission: 'jobs:delete',
    audited: 'job.erase',
    states: removable,
    carriedOut: 'operation',
    change: deleteJobs,
  },
  requeue_dead_letters: {
    permission: 'dead_letters:requeue',
    audited: 'dead_letter.requeue',
    states: ['failed_permanent'],
    carriedOut: 'at_once',
    change: requeueDeadLettersOf,
  },
}

/** An act, and what it is about. */
export interface Asked {
  readonly act: OperationAct
  /** In the names of the wire. */
  readonly filter: JsonValue
  readonly runAt: Date | null
}

/** The newest first, as they are counted, and changed at once. */
export function findLatest(
  database: QueueDatabase,
  { act, filter }: Asked,
  bounds: { readonly scanMax: number; readonly max: number },
): Promise<FoundJobs> {
  if (act === 'requeue_dead_letters') return findLatestDeadLetters(database, selectionOf(filter), bounds)
  const { states } = actsByFilter[act]
  return findJobs(database, { filter: jobFilterOf(filter), states, order: 'newest_first', ...bounds })
}

/** Where an operation stands. */
interface Place {
  readonly after: string | null
  readonly upTo: string
  /** No dead letter that is younger than the operation. */
  readonly before: Date
  readonly max: number
}

/** The next ones, the oldest first. */
export function findNext(
  database: QueueDatabase,
  { act, filter }: Asked,
  { after, upTo, before, max }: Place,
): Promise<FoundJobs> {
  const { states } = actsByFilter[act]
  if (act === 'requeue_dead_letters') {
    const selection = selectionOf(filter)
    const isPlain = Object.keys(selection).length === 0 && database.scope === undefined
    const scanMax = isPlain ? max + 1 : listScanRowsMax
    return findNextDeadLetters(database, selection, { after, before, max, scanMax })
  }
  const checked = jobFilterOf(filter)
  const isPlain = rowConditions(database, checked, 's').length === 0 && database.scope === undefined
  const isByState = checked.tenantId === undefined && checked.metadata === undefined
  const scanMax = isPlain && isByState ? max + 1 : listScanRowsMax
  return findJobs(database, { filter: checked, states, order: 'oldest_first', after, upTo, scanMax, max })
}

/** Changes those of these jobs that the filter still finds once they are locked. */
export function change(
  database: QueueDatabase,
  { act, filter, runAt }: Asked,
  ids: readonly string[],
): Promise<ChangedJob[]> {
  if (ids.length === 0) return Promise.resolve([])
  const { change: make, states } = actsByFilter[act]
  const condition =
    act === 'requeue_dead_letters'
      ? isSelected(database, selectionOf(filter))
      : isFound(database, { filter: jobFilterOf(filter), states }, 'j')
  return make(database, { ids, condition }, runAt === null ? sql<Date>`now()` : instantParameter(runAt))
}
