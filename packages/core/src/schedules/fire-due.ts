// A schedule that is due → the jobs of its instants, and its next instant: one transaction. Called by any worker. Whoever is
// killed in it has written nothing; whoever comes meanwhile skips the rows that it holds.
import { isRefusal, sqlStateOf } from '@queue/postgres'
import { sql } from 'kysely'
import type { ConnectedDatabase, QueueDatabase } from '../database/connect.ts'
import type { MintIds } from '../database/id-mint.ts'
import { identify } from '../database/job-input.ts'
import { QueueError } from '../domain/errors.ts'
import type { JobRequest } from '../domain/job-definition.ts'
import { scheduleFireBatchMax, scheduleFireInstantsMax, scheduleMissedMax } from '../domain/limits.ts'
import type { FullQueues } from '../limits/full-queues.ts'
import type { MissedPolicy } from '../domain/schedule-policies.ts'
import type { Enqueued } from '../transitions/enqueue-jobs.ts'
import { enqueueWithin, hasUnique } from '../unique/enqueue-unique.ts'
import { jobOf, runKey } from './job-of-schedule.ts'
import { type KnownKinds, kindFault } from './kind-fault.ts'
import { dueMs, type Firing, type FiringMoment, planFiring } from './plan-firing.ts'
import { decodeSchedule, noTenant, type Schedule, type ScheduleRow } from './schedule-row.ts'
import { scheduleColumns, scheduleTables } from './schedule-row.ts'
import { instantsOf } from './timing.ts'

export interface FiringDeps {
  readonly mintIds: MintIds
  /** The kinds whose payloads this process can check. */
  readonly kinds: KnownKinds
  /** What takes no more jobs. */
  readonly full: FullQueues
}

/** A run that got its job. */
export interface FiredRun {
  readonly schedule: string
  readonly kind: string
  readonly queue: string
  readonly jobId: string
  /** Milliseconds from the instant, its jitter included, to the firing. */
  readonly lateMs: number
}

/** What one firing did. */
export interface FiringReport {
  readonly fired: readonly FiredRun[]
  /** Instants that were dropped, by the policy that dropped them. */
  readonly missed: Readonly<Record<MissedPolicy, number>>
  /** Instants that were dropped because the job of an earlier one had not ended, or another job had their unique key. */
  readonly skipped: number
  /** Instants that were dropped because the queue takes no more jobs. */
  readonly refused: number
  /** Schedules that have paused themselves, and why. */
  readonly paused: readonly { readonly schedule: string; readonly reason: string }[]
  /** How many schedules were found due, and held by no other process. */
  readonly locked: number
  /** Whether more schedules may be due. */
  readonly more: boolean
}

/** One schedule and what is to be done for it. */
interface Planned {
  readonly schedule: Schedule
  readonly firing: Firing
  readonly nowMs: number
  /** Instants that the queue takes no job of. */
  readonly refused: number
  /** Why it pauses itself instead. */
  readonly fault: string | undefined
}

/** What became of it. */
interface Done extends Planned {
  /** With the instants that they are of. */
  readonly jobs: readonly (Enqueued & { readonly instantMs: number })[]
  /** Instants whose unique key another job holds. */
  readonly met: number
}

/**
 * Fires what is due, up to `scheduleFireBatchMax` schedules. A check or trigger of the database's owner that refuses the job of
 * one schedule makes that one pause itself, and costs the others nothing but time.
 */
export async function fireDue(database: ConnectedDatabase, deps: FiringDeps): Promise<FiringReport> {
  try {
    return await database.transaction((inside) => fireWithin(inside, deps, insertTogether))
  } catch (error) {
    if (!isRefusal(error) && !isKeyLocked(error)) throw error
    return database.transaction((inside) => fireWithin(inside, deps, insertApart))
  }
}

type Insert = (database: QueueDatabase, planned: readonly Planned[], mintIds: MintIds) => Promise<Done[]>

/** The whole of it, inside a transaction. */
export async function fireWithin(
  database: QueueDatabase,
  { mintIds, kinds, full }: FiringDeps,
  insert: Insert = insertTogether,
): Promise<FiringReport> {
  const rows = await lockDue(database)
  if (rows.length === 0)
    return { fired: [], missed: noneMissed, skipped: 0, refused: 0, paused: [], locked: 0, more: false }
  await full.refresh(database)
  const planned = plan(rows, { busy: await busySchedules(database, rows), kinds }).map((one) =>
    withinRoom(one, full),
  )
  const done = await insert(database, planned, mintIds)
  await moveOn(database, done)
  const more = rows.length === scheduleFireBatchMax || planned.length < rows.length
  return { ...report(done), locked: rows.length, more }
}

const noneMissed = { skip: 0, once: 0, all: 0 } as const

/** Locks what is due, the longest due first. What another process fires is skipped. */
function lockDue(database: QueueDatabase): Promise<DueRow[]> {
  const { schedules } = scheduleTables(database)
  return database.run(sql<DueRow>`
    SELECT ${scheduleColumns},
           EXISTS (SELECT FROM ${sql.id(database.schema, 'job_kinds')} AS k
                    WHERE k.kind = s.kind AND k.version = (s.options ->> 'version')::int
                      AND k.retired_at IS NOT NULL) AS is_retired
      FROM ${schedules} AS s
     WHERE s.paused_at IS NULL AND s.due_at <= statement_timestamp()
     ORDER BY s.due_at LIMIT ${sql.lit(scheduleFireBatchMax)} FOR UPDATE OF s SKIP LOCKED`)
}

type DueRow = ScheduleRow & {
  /** Whether the version of its kind is retired. */
  readonly is_retired: boolean
}

/**
 * The schedules whose last job has not ended, of those that may not overlap. A statement of its own, behind the locks: that of
 * the locks may have begun before another process's firing committed, and would not see the job of that.
 */
async function busySchedules(database: QueueDatabase, rows: readonly ScheduleRow[]): Promise<Set<string>> {
  const ids = rows.flatMap(({ overlap, last_job_id: id }) => (overlap === 'skip' && id !== null ? [id] : []))
  if (ids.length === 0) return new Set()
  const { names } = database
  const live = await database.run(sql<{ id: string }>`
    SELECT j.id::text AS id FROM ${names.jobs} AS j
     WHERE j.id = ANY(${ids}::uuid[]) AND j.finished_at IS NULL`)
  const liveIds = new Set(live.map(({ id }) => id))
  return new Set(rows.flatMap((row) => (liveIds.has(row.last_job_id ?? '') ? [row.name] : [])))
}

/** What is to be done for these, up to the bounds of one firing: the rest is left as it is. */
function plan(
  rows: readonly DueRow[],
  { busy, kinds }: { readonly busy: ReadonlySet<string>; readonly kinds: KnownKinds },
): Planned[] {
  const planned: Planned[] = []
  let jobs = 0
  let computed = 0
  for (const row of rows) {
    if (jobs >= scheduleMissedMax || computed >= scheduleFireInstantsMax) break
    const schedule = decodeSchedule(row)
    const moment = { nextMs: row.next_run_ms ?? row.now_ms, nowMs: row.now_ms, busy: busy.has(row.name) }
    const one = {
      schedule,
      nowMs: row.now_ms,
      refused: 0,
      ...planOne(schedule, moment, { kinds, isRetired: row.is_retired }),
    }
    planned.push(one)
    jobs += one.firing.fired.length
    computed += one.firing.computed
  }
  return planned
}

/** A timing that this process cannot read, such as a zone that its own data has not, costs the other schedules nothing. */
function planOne(
  schedule: Schedule,
  moment: FiringMoment,
  known: { readonly kinds: KnownKinds; readonly isRetired: boolean },
): Pick<Planned, 'firing' | 'fault'> {
  try {
    const firing = planFiring({ ...schedule, tenantId: noTenant }, instantsOf(schedule), moment)
    return { firing, fault: firing.fired.length === 0 ? undefined : kindFault(known, schedule) }
  } catch (error) {
    const firing = { fired: [], missed: 0, skipped: 0, nextMs: moment.nextMs, computed: 1 }
    return { firing, fault: `its timing cannot be read: ${(error as Error).message}` }
  }
}

/** A queue that is full takes no jobs of schedules either: their instants are dropped. */
function withinRoom(planned: Planned, full: FullQueues): Planned {
  const { schedule, firing } = planned
  if (!full.has({ queue: schedule.options.queue, tenantId: null })) return planned
  return { ...planned, firing: { ...firing, fired: [] }, refused: firing.fired.length }
}

function jobsOf({ schedule, firing, fault }: Planned): JobRequest[] {
  if (fault !== undefined) return []
  return firing.fired.map((instant) => jobOf(schedule, runKey(schedule.name, instant)))
}

/** Writes the jobs of all of them in one statement. */
async function insertTogether(
  database: QueueDatabase,
  planned: readonly Planned[],
  mintIds: MintIds,
): Promise<Done[]> {
  const requests = planned.map(jobsOf)
  const flat = requests.flat()
  const identified = identify(flat, await mintIds(database, flat.length))
  const enqueued = await enqueueWithin(database, identified, hasUnique(flat) ? { lockTimeoutMs } : {})
  let from = 0
  return planned.map((one, index) => {
    const answers = enqueued.slice(from, (from += requests[index]?.length ?? 0))
    const jobs = answers.flatMap((answer, nth) =>
      answer.conflict === undefined ? [{ ...answer, instantMs: one.firing.fired[nth] ?? one.nowMs }] : [],
    )
    return { ...one, jobs, met: answers.length - jobs.length }
  })
}

/** How long an open transaction elsewhere may hold a unique key before the schedules of other keys fire without it. */
const lockTimeoutMs = 1_000

function isKeyLocked(error: unknown): boolean {
  return error instanceof QueueError && error.code === 'unique_key_locked'
}

/** Writes the jobs of each on their own, so that one whose job is refused is found. */
async function insertApart(
  database: QueueDatabase,
  planned: readonly Planned[],
  mintIds: MintIds,
): Promise<Done[]> {
  const done: Done[] = []
  for (const one of planned) {
    await database.run(sql`SAVEPOINT queue_fire`)
    try {
      done.push(...(await insertTogether(database, [one], mintIds)))
    } catch (error) {
      if (!isRefusal(error) && !isKeyLocked(error)) throw error
      await database.run(sql`ROLLBACK TO SAVEPOINT queue_fire`)
      // One whose key is locked stays due, and fires when the key is free.
      if (isRefusal(error))
        done.push({
          ...one,
          jobs: [],
          met: 0,
          fault: `the database refuses its job (SQLSTATE ${sqlStateOf(error)})`,
        })
    }
    await database.run(sql`RELEASE SAVEPOINT queue_fire`)
  }
  return done
}

/** Writes what each has done, and when it is due next. One that pauses itself stays where it is. */
async function moveOn(database: QueueDatabase, done: readonly Done[]): Promise<void> {
  const { schedules } = scheduleTables(database)
  const of = (read: (one: Done) => string | number | null): (string | number | null)[] => done.map(read)
  const next = ({ firing }: Done): number | null => firing.nextMs
  const due = ({ schedule, firing }: Done): number | null =>
    firing.nextMs === null ? null : dueMs({ ...schedule, tenantId: noTenant }, firing.nextMs)
  await database.run(sql`
    UPDATE ${schedules} AS s
       SET next_run_at = CASE WHEN i.fault IS NULL THEN to_timestamp(i.next_ms / 1000) ELSE s.next_run_at END,
           due_at = CASE WHEN i.fault IS NULL THEN to_timestamp(i.due_ms / 1000) ELSE s.due_at END,
           last_run_at = coalesce(to_timestamp(i.run_ms / 1000), s.last_run_at),
           last_job_id = coalesce(i.job_id, s.last_job_id),
           fired_count = s.fired_count + i.fired,
           missed_count = s.missed_count + i.missed,
           skipped_count = s.skipped_count + i.skipped,
           paused_at = CASE WHEN i.fault IS NULL THEN s.paused_at ELSE statement_timestamp() END,
           paused_reason = i.fault
      FROM unnest(${of(({ schedule }) => schedule.name)}::text[], ${of(next)}::float8[], ${of(due)}::float8[],
                  ${of(lastFiredMs)}::float8[], ${of(({ jobs }) => jobs.at(-1)?.job.id ?? null)}::uuid[],
                  ${of(({ jobs }) => jobs.length)}::int[], ${of(missedOf)}::int[], ${of((one) => skippedOf(one) + refusedOf(one))}::int[],
                  ${of(({ fault }) => fault ?? null)}::text[])
             AS i (name, next_ms, due_ms, run_ms, job_id, fired, missed, skipped, fault)
     WHERE s.tenant_id = ${noTenant} AND s.name = i.name`)
}

function lastFiredMs({ jobs }: Done): number | null {
  return jobs.at(-1)?.instantMs ?? null
}

function missedOf({ fault, firing }: Done): number {
  return fault === undefined ? firing.missed : 0
}

function skippedOf({ fault, firing, met }: Done): number {
  return fault === undefined ? firing.skipped + met : 0
}

function refusedOf({ fault, refused }: Done): number {
  return fault === undefined ? refused : 0
}

function report(done: readonly Done[]): Omit<FiringReport, 'locked' | 'more'> {
  const missed: Record<MissedPolicy, number> = { ...noneMissed }
  for (const one of done) missed[one.schedule.missed] += missedOf(one)
  return {
    fired: done.flatMap(firedRuns),
    missed,
    skipped: done.reduce((sum, one) => sum + skippedOf(one), 0),
    refused: done.reduce((sum, one) => sum + refusedOf(one), 0),
    paused: done.flatMap(({ schedule, fault }) =>
      fault === undefined ? [] : [{ schedule: schedule.name, reason: fault }],
    ),
  }
}

function firedRuns({ schedule, jobs, nowMs }: Done): FiredRun[] {
  return jobs.map(({ job, instantMs }) => ({
    schedule: schedule.name,
    kind: schedule.kind,
    queue: job.queue,
    jobId: job.id,
    lateMs: nowMs - dueMs({ ...schedule, tenantId: noTenant }, instantMs),
  }))
}
