import type { Row, RowChange } from '../record/row-changes.ts'
import type { ActName } from './records.ts'

/** What an act may do to a job. */
interface ActRule {
  /** Whether it changes a job in this state now or at some time. Its expiry may have passed, or pass, meanwhile. */
  readonly mayChange: (row: Row) => boolean
  /** Whether it left the row as it must. */
  readonly isDone: (change: ChangedRow, runAt: Date) => boolean
  /** The columns that it may write. */
  readonly columns: readonly string[]
}

export interface ChangedRow {
  readonly before: Row
  readonly after: Row | null
}

/** `undo`: of a reschedule. */
type UndoAct = Extract<ActName, 'undo' | 'undo_cancel' | 'undo_requeue'>

type BulkAct = Extract<
  ActName,
  'cancel' | 'requeue' | 'reschedule' | UndoAct | 'delete' | 'erase' | 'purge' | 'requeue_dead_letters'
>

const requeued =
  'status attempts cancel_requested run_at result progress progress_message finished_at updated_at cancel_reason unique_scope'.split(
    ' ',
  )

const isWaiting = ({ status }: Row): boolean => status === 'queued' || status === 'retrying'
const isLeft = ({ after }: ChangedRow): boolean => after !== null
const isGone = ({ after }: ChangedRow): boolean => after === null
const isRequeued = ({ after }: ChangedRow): boolean =>
  after !== null && after.status === 'queued' && after['attempts'] === 0 && !endsBy(after, after.run_at)

/** The acts on many. */
export const actRules: Readonly<Record<BulkAct, ActRule>> = {
  cancel: {
    mayChange: (row) => isWaiting(row) || (row.status === 'running' && row['cancel_requested'] === false),
    isDone: ({ before, after }) =>
      after?.['cancel_requested'] === true &&
      (isWaiting(before)
        ? after.status === 'cancelled' && after.finished_at !== null
        : after.status === 'running'),
    columns: ['status', 'cancel_requested', 'finished_at', 'updated_at'],
  },
  requeue: {
    mayChange: ({ status, stripped_at: strippedAt }) =>
      (status === 'failed_permanent' || status === 'cancelled') && strippedAt === null,
    isDone: isRequeued,
    columns: requeued,
  },
  requeue_dead_letters: {
    mayChange: ({ status }) => status === 'failed_permanent',
    isDone: isRequeued,
    columns: [...requeued, 'expires_at'],
  },
  reschedule: {
    mayChange: isWaiting,
    isDone: ({ after }, runAt) => after !== null && startsFrom(after, runAt) && !endsBy(after, after.run_at),
    columns: ['run_at', 'updated_at'],
  },
  undo: { mayChange: isWaiting, isDone: isLeft, columns: ['run_at', 'updated_at'] },
  undo_cancel: {
    mayChange: (row) =>
      row.status === 'cancelled' &&
      row['cancel_reason'] === null &&
      row['stripped_at'] === null &&
      Number(row['attempts']) < Number(row['max_attempts']),
    isDone: isLeft,
    columns: ['status', 'cancel_requested', 'finished_at', 'updated_at'],
  },
  undo_requeue: {
    mayChange: ({ status }) => status === 'queued',
    isDone: isLeft,
    columns: [...requeued, 'expires_at'],
  },
  delete: { mayChange: ({ status }) => status !== 'running', isDone: isGone, columns: [] },
  erase: { mayChange: ({ status }) => status !== 'running', isDone: isGone, columns: [] },
  purge: { mayChange: isWaiting, isDone: isGone, columns: [] },
}

/** The columns that the acts on one job may write. Absent: any. */
const columnsOfOne: Partial<Record<ActName, readonly string[]>> = {
  run_now: ['run_at', 'updated_at'],
  edit: ['priority', 'weight', 'run_at', 'metadata', 'updated_at'],
  expire: ['status', 'cancel_reason', 'finished_at', 'updated_at'],
}

export function isUndo(act: ActName): act is UndoAct {
  return act === 'undo' || act === 'undo_cancel' || act === 'undo_requeue'
}

/**
 * The columns in which a row that an undo has left differs from what it was before the act that was undone. Only the time of
 * the change may: an undo restores the rest, the start of a reschedule to the millisecond.
 */
export function notRestored(act: UndoAct, was: Row, after: Row): string[] {
  const isSameStart = Date.parse(was.run_at) === Date.parse(after.run_at)
  return columnsWritten({ before: was, after }).filter(
    (column) => column !== 'updated_at' && !(act === 'undo' && column === 'run_at' && isSameStart),
  )
}

export function isBulkAct(act: ActName): act is BulkAct {
  return act in actRules
}

/** Instants in the JSON of PostgreSQL have the same zone, but not the same number of digits. */
function microseconds(text: string): number {
  const digits = /\.(\d+)/.exec(text)?.[1] ?? ''
  return Math.floor(Date.parse(text) / 1_000) * 1_000_000 + Number(digits.padEnd(6, '0'))
}

/** Whether the job, which is queued, ends as expired by this instant. */
function endsBy({ status, expires_at: expiresAt }: Row, instant: string): boolean {
  return status === 'queued' && expiresAt !== null && microseconds(expiresAt) <= microseconds(instant)
}

/** A start that was past is the instant of the change. */
function startsFrom({ run_at: runAt, updated_at: updatedAt }: Row, asked: Date): boolean {
  const startMs = Date.parse(runAt)
  return startMs === asked.getTime() || (startMs > asked.getTime() && Date.parse(updatedAt) >= startMs)
}

const unhurriedMs = 600_000

/** Whether the act changes such a job for certain, because no expiry is near. */
export function mustChange(act: ActName, row: Row, runAt: Date | undefined): boolean {
  const { expires_at: expiresAt } = row
  // Another job may hold the key that the restored job needs.
  if (act === 'undo_cancel') return row.unique_scope === null
  if (act === 'reschedule' && Date.parse(row.run_at) === runAt?.getTime()) return false
  if (
    expiresAt === null ||
    act === 'cancel' ||
    isUndo(act) ||
    act === 'delete' ||
    act === 'erase' ||
    act === 'purge'
  )
    return true
  if (act === 'requeue_dead_letters') return true
  if (act === 'reschedule' && row.status === 'retrying') return true
  return Date.parse(expiresAt) > Math.max(Date.now(), runAt?.getTime() ?? 0) + unhurriedMs
}

/** Why no act may leave a row so; undefined if one may. */
export function faultOfChange({ act, table, before, after }: RowChange): string | undefined {
  if (table !== 'jobs' || after === null) return undefined
  const [name = ''] = act.split(' ')
  const isQueued = after.status === 'queued' && before?.status !== 'queued'
  // The undo of a cancel restores a job whose expiry has passed meanwhile, as it would have without the cancel.
  if (isQueued && name !== 'undo_cancel' && endsBy(after, after.updated_at)) {
    return 'was queued when its expiry was past'
  }
  const allowed = columnsOfOne[name as ActName]
  if (before === null || allowed === undefined) return undefined
  const others = columnsWritten({ before, after }).filter((column) => !allowed.includes(column))
  return others.length === 0 ? undefined : `had other columns written: ${others.join(', ')}`
}

export function columnsWritten({ before, after }: ChangedRow): string[] {
  if (after === null) return []
  return Object.keys(before).filter(
    (column) => JSON.stringify(before[column]) !== JSON.stringify(after[column]),
  )
}
