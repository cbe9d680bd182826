import { isDeepStrictEqual } from 'node:util'
import type { Row, RowChange } from '../record/row-changes.ts'
import {
  actRules,
  columnsWritten,
  faultOfChange,
  isBulkAct,
  isUndo,
  mustChange,
  notRestored,
} from './act-rules.ts'
import type { AnsweredDryRun, AnsweredMany, AnsweredOne, Records } from './records.ts'
import { lasts, overlaps, type RowVersions, type Span, type Version } from './row-versions.ts'

export interface Tables {
  readonly jobs: RowVersions
  readonly deadLetters: RowVersions
  /** How many jobs the entries of the audit log count, by their requests. */
  readonly audited: ReadonlyMap<string, number>
}

/** What was found in the records of a round. */
export interface CheckedActs {
  readonly faults: readonly string[]
  /** How many jobs the acts on many have changed. */
  readonly changed: number
  /** How many jobs the undos of these acts have restored. */
  readonly restored: number
  /** How many jobs that they would have changed at one moment others have changed before they could, or meanwhile. */
  readonly contested: number
}

/** Checks what was answered against the changes of the rows. `tables` has all of these changes. */
export function checkActs(tables: Tables, changes: readonly RowChange[], records: Records): CheckedActs {
  const changesByAct = Map.groupBy(changes, ({ act }) => act)
  const made = (names: readonly string[]): Changes =>
    changesOf(names.flatMap((name) => changesByAct.get(name) ?? []))
  const checked = records.many.map((act) => checkMany(tables, act, made(act.names)))
  const named = new Set([
    ...records.ones.map(({ name }) => name),
    ...records.many.flatMap(({ names }) => names),
  ])
  const unanswered = [...changesByAct.keys()].filter((name) => !named.has(name))
  return {
    faults: [
      ...records.faults,
      ...changes.flatMap((change) => {
        const fault = faultOfChange(change)
        return fault === undefined ? [] : [`${change.act}: ${change.id} ${fault}`]
      }),
      ...unanswered.map((name) => `${name}: changed rows, but has not answered so`),
      ...records.ones.flatMap((one) => checkOne(one, made([one.name]))),
      ...records.dryRuns.flatMap((run) => checkDryRun(tables, run)),
      ...checked.flatMap(({ faults }) => faults),
    ],
    changed: changedBy(records.many),
    restored: changedBy(records.many.filter(({ act }) => isUndo(act))),
    contested: checked.reduce((sum, act) => sum + act.contested, 0),
  }
}

function changedBy(acts: readonly AnsweredMany[]): number {
  return acts.reduce((sum, act) => sum + act.changed, 0)
}

interface Changes {
  readonly jobs: readonly RowChange[]
  readonly deadLetters: readonly RowChange[]
}

function changesOf(changes: readonly RowChange[]): Changes {
  return {
    jobs: changes.filter(({ table }) => table === 'jobs'),
    deadLetters: changes.filter(({ table }) => table === 'dead_letter_jobs'),
  }
}

function checkOne({ name, jobs, mayChangeNothing, deadLetters }: AnsweredOne, made: Changes): string[] {
  // A replacement writes the same row twice.
  const changed = new Set(made.jobs.map(({ id }) => id)).size
  const removed = made.deadLetters.length
  return [
    ...(changed === jobs || (mayChangeNothing && changed < jobs)
      ? []
      : [`${name}: changed ${changed} jobs and answered ${jobs}`]),
    ...(deadLetters === undefined || removed === deadLetters
      ? []
      : [`${name}: changed ${removed} dead letters and answered ${deadLetters}`]),
  ]
}

function checkMany(
  tables: Tables,
  act: AnsweredMany,
  made: Changes,
): { readonly faults: readonly string[]; readonly contested: number } {
  const ids = made.jobs.map(({ id }) => id)
  const changedIds = new Set(ids)
  const { must, may } = candidatesOf(tables, act)
  const missed = must.filter((jobs) => !jobs.some((id) => changedIds.has(id))).flat()
  const name = `${act.names.join(', ')} ${JSON.stringify(act.request)}`
  const faults = [
    ...made.jobs.flatMap((change) => checkChanged(tables, act, change)),
    ...(act.act === 'undo_requeue'
      ? checkRestoredDeadLetters(tables, made)
      : checkRemovedDeadLetters(act, made)),
    ...(ids.length === changedIds.size ? [] : ['changed a job twice']),
    ...(act.changed === ids.length ? [] : [`counted ${act.changed} jobs and changed ${ids.length}`]),
    ...(act.ids === undefined || isSameSet(act.ids, ids) ? [] : ['answered other jobs than it has changed']),
    ...(act.audited === undefined || (tables.audited.get(act.audited) ?? 0) === act.changed
      ? []
      : [`counted ${act.changed} jobs, and ${tables.audited.get(act.audited) ?? 0} in the audit log`]),
    ...missed.map((id) => `left ${id} alone, which it selected all the time`),
    ...(act.changed + (act.skipped ?? 0) <= may.size
      ? []
      : [`counted ${act.skipped} skipped jobs: too many`]),
  ]
  return {
    faults: faults.map((fault) => `${name}: ${fault}`),
    contested: may.size - must.length,
  }
}

/** The row as it was locked must have been selected, in a state that the act changes, and be as the act leaves it. */
function checkChanged(tables: Tables, act: AnsweredMany, change: RowChange): string[] {
  const { id, before, after, xid } = change
  const version = tables.jobs.endedBy(change)
  if (!isBulkAct(act.act) || before === null || version === undefined) return [`${id} was inserted`]
  const rule = actRules[act.act]
  const others = columnsWritten({ before, after }).filter((column) => !rule.columns.includes(column))
  const selected =
    act.act === 'requeue_dead_letters'
      ? tables.deadLetters
          .all()
          .filter(({ row, end }) => row.job_id === id && end?.xid === xid && end.act === change.act)
      : [version]
  return [
    ...(selected.some(act.selects) ? [] : [`changed ${id}, which it did not select`]),
    ...(rule.mayChange(before) ? [] : [`changed ${id}, which was ${before.status}`]),
    ...(rule.isDone({ before, after }, act.runAt ?? new Date(0)) ? [] : [`left ${id} in another state`]),
    ...(others.length === 0 ? [] : [`wrote other columns of ${id}: ${others.join(', ')}`]),
    ...checkRestored(tables, act, change),
  ]
}

/** What an undo has changed is as it was before the act that it undoes, which made the state that the undo has found. */
function checkRestored(tables: Tables, { act }: AnsweredMany, change: RowChange): string[] {
  if (!isUndo(act)) return []
  const { id, after } = change
  const versions = tables.jobs.of(id)
  const was = versions.find(({ end }) => end?.after?.updated_at === change.before?.updated_at)
  if (was === undefined || after === null) return [`restored ${id}, which no act has changed`]
  const columns = notRestored(act, was.row, after)
  return columns.length === 0 ? [] : [`did not restore ${columns.join(', ')} of ${id}`]
}

/** The undo of a requeue brings back each dead letter that the requeue has removed, as it was, and no others. */
function checkRestoredDeadLetters({ jobs, deadLetters }: Tables, made: Changes): string[] {
  const removed = made.jobs.flatMap((change) => {
    const requeue = jobs.endedBy(change)?.from
    return deadLetters.all().filter(({ row, end }) => row.job_id === change.id && end?.xid === requeue)
  })
  const restored = made.deadLetters.map(({ after }) => after)
  const isSame = (row: Row): boolean => restored.some((other) => isDeepStrictEqual(other, row))
  return [
    ...removed
      .filter(({ row }) => !isSame(row))
      .map(({ id, row }) => `did not restore the dead letter ${id} of ${row.job_id}`),
    ...(restored.length === removed.length
      ? []
      : [`restored ${restored.length} dead letters and not ${removed.length}`]),
  ]
}

/** Only acts on the jobs of dead letters remove any. */
function checkRemovedDeadLetters({ act }: AnsweredMany, made: Changes): string[] {
  const jobs = new Set(made.jobs.map(({ id }) => id))
  const others = made.deadLetters.filter(({ before }) => !jobs.has(before?.job_id ?? ''))
  return [
    ...others.map(({ id }) => `removed the dead letter ${id} and left its job`),
    ...(act !== 'requeue_dead_letters' || made.deadLetters.length === jobs.size
      ? []
      : [`requeued ${jobs.size} jobs by ${made.deadLetters.length} dead letters`]),
  ]
}

type Asked = Span & Pick<AnsweredMany, 'act' | 'selects' | 'runAt'>

/**
 * The jobs that the act must change if nobody else does, because it selected them from before its start until after its
 * answer, and those that it selected at some moment. Of jobs that are requeued under one key, it must change one.
 */
function candidatesOf(
  tables: Tables,
  asked: Asked,
): { readonly must: readonly (readonly string[])[]; readonly may: ReadonlySet<string> } {
  const { act, selects, runAt } = asked
  if (!isBulkAct(act)) throw new Error(`${act} is no act on many`)
  const { mayChange } = actRules[act]
  const selected = (act === 'requeue_dead_letters' ? tables.deadLetters : tables.jobs).all().filter(selects)
  const jobOf = ({ id, row }: Version): string => (act === 'requeue_dead_letters' ? row.job_id : id)
  const states = (version: Version, is: typeof lasts): readonly Version[] =>
    is(version, asked)
      ? tables.jobs.of(jobOf(version)).filter((job) => is(job, asked) && mayChange(job.row))
      : []
  const isSettled = (job: Version): boolean =>
    mustChange(act, job.row, runAt) && !isKeyTaken(tables.jobs, job, asked)
  const settled = selected.flatMap((version) => states(version, lasts).filter(isSettled))
  return {
    must: [...Map.groupBy(settled, keyToTake).values()].map((versions) => versions.map(({ id }) => id)),
    may: new Set(selected.filter((version) => states(version, overlaps).length > 0).map(jobOf)),
  }
}

/** Whether another job holds the unique key of an ended job at some moment, so that it cannot be requeued then. */
function isKeyTaken(jobs: RowVersions, { id, row }: Version, span: Span): boolean {
  if (!needsKey(row)) return false
  return jobs
    .all()
    .some(
      (other) =>
        other.id !== id && isSameKey(other, row) && other.row.finished_at === null && overlaps(other, span),
    )
}

/** Whether a requeue of the job needs its unique key again. */
function needsKey(row: Version['row']): boolean {
  return row.unique_scope === 'live' && row.finished_at !== null
}

/** What names the key that a requeue of the job needs, or else the job. */
function keyToTake({ id, row }: Version): string {
  return needsKey(row) ? JSON.stringify([row['tenant_id'], row['kind'], row['unique_key']]) : id
}

function isSameKey({ row: other }: Version, row: Version['row']): boolean {
  return (['tenant_id', 'kind', 'unique_key'] as const).every((column) => other[column] === row[column])
}

function checkDryRun(tables: Tables, run: AnsweredDryRun): string[] {
  const { must, may } = candidatesOf(tables, run)
  if (run.count >= must.length && run.count <= may.size) return []
  const expected = `between ${must.length} and ${may.size}`
  return [`a dry run of ${run.act} ${JSON.stringify(run.request)} counted ${run.count}, not ${expected}`]
}

function isSameSet(some: readonly string[], others: readonly string[]): boolean {
  const known = new Set(others)
  return some.length === known.size && some.every((id) => known.has(id))
}
