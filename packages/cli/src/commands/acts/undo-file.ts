import type { Job, UndoCancel, UndoRequeue, UndoReschedule } from '@queue/client'
import { usageFailure } from '@queue/commands'
import type { Context } from '../../command.ts'
import { readDocument } from '../enqueue/payload.ts'

/** What an act has printed for its undo. */
interface UndoFile<Item> {
  readonly member: 'previous' | 'cancelled' | 'requeued'
  readonly isItem: (value: unknown) => value is Item
  /** What restores a job that the act has changed alone; undefined where nothing does. Absent: the act is only for many. */
  readonly ofJob?: (job: Partial<Job>) => Item | undefined
  readonly items: string
  readonly act: 'reschedule' | 'cancel' | 'requeue'
  readonly past: string
  /** Why a file may list nothing. */
  readonly advice: string
}

export const rescheduleUndo: UndoFile<UndoReschedule['jobs'][number]> = {
  member: 'previous',
  isItem: isPreviousStart,
  items: 'previous starts',
  act: 'reschedule',
  past: 'rescheduled',
  advice: 'a reschedule that became an operation cannot be undone: cancel the operation',
}

export const cancelUndo: UndoFile<UndoCancel['jobs'][number]> = {
  member: 'cancelled',
  isItem: isCancelledJob,
  ofJob: cancelledAlone,
  items: 'cancelled jobs',
  act: 'cancel',
  past: 'cancelled',
  advice:
    'a cancel that became an operation cannot be undone: cancel the operation; nor can the cancel of a running job',
}

export const requeueUndo: UndoFile<UndoRequeue['jobs'][number]> = {
  member: 'requeued',
  isItem: isRequeuedJob,
  ofJob: requeuedAlone,
  items: 'requeued jobs',
  act: 'requeue',
  past: 'requeued',
  advice: 'a requeue that became an operation cannot be undone: cancel the operation',
}

/** Reads from a file what to restore. The queue checks that the jobs exist. */
export async function readUndo<Item>(
  context: Pick<Context<unknown>, 'readInput' | 'args'>,
  file: UndoFile<Item>,
): Promise<Item[]> {
  const document = await readDocument(context, { path: context.args[0] ?? '', option: 'the file' })
  const found = typeof document === 'object' && document !== null ? itemsOf(document, file) : undefined
  const { items, act, past, advice } = file
  if (!Array.isArray(found) || !found.every(file.isItem)) {
    throw usageFailure(`the file has no ${items}`, `give the output of \`queue ${act} --json\``)
  }
  if (found.length > 0) return found
  throw usageFailure(`the file lists no ${past} jobs`, advice)
}

/** What an act with a filter has listed, or what an act on single jobs has printed: only `data`, where a list has a cursor too. */
function itemsOf<Item>(document: object, { member, ofJob }: UndoFile<Item>): unknown {
  const { [member]: listed, data, ...others } = document as Readonly<Record<string, unknown>>
  const isOfSingleJobs = Array.isArray(data) && Object.keys(others).length === 0
  if (listed !== undefined || ofJob === undefined || !isOfSingleJobs) return listed
  return data.flatMap((job: unknown) => (typeof job === 'object' && job !== null ? (ofJob(job) ?? []) : []))
}

/** The queue itself restores a job that has used attempts as `retrying`. */
function cancelledAlone({
  id = '',
  status,
  updated_at: changedAt = '',
}: Partial<Job>): UndoCancel['jobs'][number] | undefined {
  return status === 'cancelled' ? { id, status: 'queued', changed_at: changedAt } : undefined
}

function requeuedAlone({
  id = '',
  status,
  updated_at: changedAt = '',
}: Partial<Job>): UndoRequeue['jobs'][number] | undefined {
  return status === 'queued' ? { id, changed_at: changedAt } : undefined
}

function isPreviousStart(value: unknown): value is UndoReschedule['jobs'][number] {
  if (typeof value !== 'object' || value === null) return false
  const { id, run_at: runAt, changed_at: changedAt } = value as Partial<UndoReschedule['jobs'][number]>
  return typeof id === 'string' && [runAt, changedAt].every(isInstant)
}

function isCancelledJob(value: unknown): value is UndoCancel['jobs'][number] {
  if (typeof value !== 'object' || value === null) return false
  const { id, status, changed_at: changedAt } = value as Partial<UndoCancel['jobs'][number]>
  return typeof id === 'string' && (status === 'queued' || status === 'retrying') && isInstant(changedAt)
}

function isRequeuedJob(value: unknown): value is UndoRequeue['jobs'][number] {
  if (typeof value !== 'object' || value === null) return false
  const { id, changed_at: changedAt } = value as Partial<UndoRequeue['jobs'][number]>
  return typeof id === 'string' && isInstant(changedAt)
}

function isInstant(at: string | undefined): boolean {
  return !Number.isNaN(Date.parse(at ?? ''))
}
