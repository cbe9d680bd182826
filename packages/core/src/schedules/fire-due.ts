// A due schedule → the jobs of its instants, and its next instant, in one transaction. Called by any worker. A worker
// that dies before the commit has written nothing. Other workers skip the rows that it has locked.
import { isRefusal, nulls, orNull, sqlStateOf } from '@queue/postgres'
import { sql } from 'kysely'
import type { ConnectedDatabase, QueueDatabase } from '../database/connect.ts'
import type { MintIds } from '../database/id-mint.ts'
import { identify } from '../database/job-input.ts'
import { InvalidInput, QueueError } from '../domain/errors.ts'
import type { JobRequest } from '../domain/job-definition.ts'
import { scheduleFireBatchMax, scheduleFireInstantsMax, scheduleMissedMax } from '../domain/limits.ts'
import type { FullQueues } from '../flow/full-queues.ts'
import type { MissedPolicy } from '../domain/schedule-policies.ts'
import type { Enqueued } from '../transitions/enqueue-jobs.ts'
import { enqueueWithin, hasUnique } from '../transitions/enqueue-keyed.ts'
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
  /** The queues that accept no more jobs. */
  readonly full: FullQueues
}

/** A run whose job was enqueued. */
export interface FiredRun {
  readonly schedule: string
  readonly kind: string
  readonly queue: string
  readonly jobId: string
  /** Milliseconds from the instant, with its jitter, to the firing. */
  readonly lateMs: number
}

/** The result of one firing. */
export interface FiringReport {
  readonly fired: readonly FiredRun[]
  /** Dropped instants, by the policy that dropped them. */
  readonly missed: Readonly<Record<MissedPolicy, number>>
  /**
   * Instants that were dropped because the job of an earlier one had not ended, or because another job held their
   * unique key.
   */
  readonly skipped: number
  /** Instants that were dropped because their queue is full. */
  readonly refused: number
  /** Schedules that paused themselves, and why. */
  readonly paused: readonly { readonly schedule: string; readonly reason: string }[]
  /** Number of schedules that were due and not locked by another process. */
  readonly locked: number
  /** Whether more schedules may be due. */
  readonly more: boolean
}

/** A schedule, and the plan of its firing. */
interface PlannedFiring {
  readonly schedule: Schedule
  readonly plan: Firing
  readonly nowMs: number
  /** Number of instants whose jobs the full queue refuses. */
  readonly refused: number
  /** Why the schedule pauses itself instead. */
  readonly fault: string | undefined
}

/** A firing whose jobs were enqueued. */
interface CompletedFiring extends PlannedFiring {
  /** The enqueued jobs, with their instants. */
  readonly jobs: readonly (Enqueued & { readonly instantMs: number })[]
  /** Number of instants whose unique key another job holds. */
  readonly conflicts: number
}

/**
 * Fires up to `scheduleFireBatchMax` due schedules. If the database refuses the job of one schedule, by a check or a
 * trigger of its owner, only that schedule pauses itself. The others are fired by a second, slower transaction.
 */
export async function fireDue(database: ConnectedDatabase, deps: FiringDeps): Promise<FiringReport> {
  try {
    return await database.transaction((inside) => fireWithin(inside, deps, insertTogether))
  } catch (error) {
    if (refusalOf(error) === undefined && !isKeyLocked(error)) throw error
    return database.transaction((inside) => fireWithin(inside, deps, insertSeparately))
  }
}

type InsertJobs = (
  database: QueueDatabase,
  planned: readonly PlannedFiring[],
  mintIds: MintIds,
) => Promise<CompletedFiring[]>

/** Fires the due schedules inside of a transaction. */
export async function fireWithin(
  database: QueueDatabase,
  { mintIds, kinds, full }: FiringDeps,
  insert: InsertJobs = insertTogether,
): Promise<FiringReport> {
  const rows = await lockDue(database)
  if (rows.length === 0)
    return { fired: [], missed: noneMissed, skipped: 0, refused: 0, paused: [], locked: 0, more: false }
  await full.refresh(database)
  const busy = await busySchedules(database, rows)
  const planned = planFirings(rows, { busy, kinds }).map((firing) => refuseIfFull(firing, full))
  const completed = await insert(database, planned, mintIds)
  await advanceSchedules(database, completed)
  const more = rows.length === scheduleFireBatchMax || planned.length < rows.length
  return { ...report(completed), locked: rows.length, more }
}

const noneMissed = { skip: 0, once: 0, all: 0 } as const

/** Locks the due schedules, the longest due first. Schedules that another process fires are skipped. */
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
  /** Whether the schedule's version of its kind is retired. */
  readonly is_retired: boolean
}

/**
 * The schedules that may not overlap and whose last job has not ended. This is a separate statement after the locks:
 * the statement that took them may have begun before another process's firing committed, and would not see that
 * firing's job.
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

/** The plans for these schedules, up to the bounds of one firing. The others stay due. */
function planFirings(
  rows: readonly DueRow[],
  { busy, kinds }: { readonly busy: ReadonlySet<string>; readonly kinds: KnownKinds },
): PlannedFiring[] {
  const planned: PlannedFiring[] = []
  let jobs = 0
  let computed = 0
  for (const row of rows) {
    if (jobs >= scheduleMissedMax || computed >= scheduleFireInstantsMax) break
    const schedule = decodeSchedule(row)
    const moment = { nextMs: row.next_run_ms ?? row.now_ms, nowMs: row.now_ms, busy: busy.has(row.name) }
    const firing = {
      schedule,
      nowMs: row.now_ms,
      refused: 0,
      ...planSchedule(schedule, moment, { kinds, isRetired: row.is_retired }),
    }
    planned.push(firing)
    jobs += firing.plan.fired.length
    computed += firing.plan.computed
  }
  return planned
}

/**
 * The plan for one schedule. A timing that this process cannot compute, such as a time zone that its data lacks, only
 * pauses that schedule.
 */
function planSchedule(
  schedule: Schedule,
  moment: FiringMoment,
  kindState: { readonly kinds: KnownKinds; readonly isRetired: boolean },
): Pick<PlannedFiring, 'plan' | 'fault'> {
  try {
    const instants = instantsOf(schedule)
    const settled = { ...moment, nextMs: instants.settle(moment.nextMs) }
    const plan = planFiring({ ...schedule, tenantId: noTenant }, instants, settled)
    return { plan, fault: plan.fired.length === 0 ? undefined : kindFault(kindState, schedule) }
  } catch (error) {
    const plan = { fired: [], missed: 0, skipped: 0, nextMs: moment.nextMs, computed: 1 }
    return { plan, fault: `the timing of the schedule cannot be computed: ${(error as Error).message}` }
  }
}

/** Drops the instants of a schedule whose queue is full. */
function refuseIfFull(planned: PlannedFiring, full: FullQueues): PlannedFiring {
  const { schedule, plan } = planned
  if (!full.has({ queue: schedule.options.queue, tenantId: null })) return planned
  return { ...planned, plan: { ...plan, fired: [] }, refused: plan.fired.length }
}

function jobsOf({ schedule, plan, fault }: PlannedFiring): JobRequest[] {
  if (fault !== undefined) return []
  return plan.fired.map((instant) => jobOf(schedule, runKey(schedule.name, instant)))
}

/** Writes the jobs of all schedules in one statement. */
async function insertTogether(
  database: QueueDatabase,
  planned: readonly PlannedFiring[],
  mintIds: MintIds,
): Promise<CompletedFiring[]> {
  const requests = planned.map(jobsOf)
  const allRequests = requests.flat()
  const identified = identify(allRequests, await mintIds(database, allRequests.length))
  const enqueued = await enqueueWithin(database, identified, hasUnique(allRequests) ? { lockTimeoutMs } : {})
  let offset = 0
  return planned.map((firing, index) => {
    const answers = enqueued.slice(offset, (offset += requests[index]?.length ?? 0))
    const jobs = answers.flatMap((answer, position) =>
      answer.conflict === undefined
        ? [{ ...answer, instantMs: firing.plan.fired[position] ?? firing.nowMs }]
        : [],
    )
    return { ...firing, jobs, conflicts: answers.length - jobs.length }
  })
}

/**
 * How long another open transaction may hold a unique key, in milliseconds, before the schedules of other keys fire
 * without it.
 */
const lockTimeoutMs = 1_000

function isKeyLocked(error: unknown): boolean {
  return error instanceof QueueError && error.code === 'unique_key_locked'
}

/** The error of the database behind this one, where it has refused a job; undefined otherwise. */
function refusalOf(error: unknown): unknown {
  const cause = error instanceof InvalidInput ? error.cause : error
  return isRefusal(cause) ? cause : undefined
}

/** Writes the jobs of each schedule separately, to find the one whose job is refused. */
async function insertSeparately(
  database: QueueDatabase,
  planned: readonly PlannedFiring[],
  mintIds: MintIds,
): Promise<CompletedFiring[]> {
  const completed: CompletedFiring[] = []
  for (const firing of planned) {
    await database.run(sql`SAVEPOINT queue_fire`)
    try {
      completed.push(...(await insertTogether(database, [firing], mintIds)))
    } catch (error) {
      const refusal = refusalOf(error)
      if (refusal === undefined && !isKeyLocked(error)) throw error
      await database.run(sql`ROLLBACK TO SAVEPOINT queue_fire`)
      // A schedule whose key is locked stays due, and fires once the key is free.
      if (refusal !== undefined)
        completed.push({
          ...firing,
          jobs: [],
          conflicts: 0,
          fault: `the database refuses the job of the schedule (SQLSTATE ${sqlStateOf(refusal)})`,
        })
    }
    await database.run(sql`RELEASE SAVEPOINT queue_fire`)
  }
  return completed
}

/** Stores the results of each firing, and when its schedule is due next. A schedule that pauses itself keeps its instant. */
async function advanceSchedules(
  database: QueueDatabase,
  completed: readonly CompletedFiring[],
): Promise<void> {
  const { schedules } = scheduleTables(database)
  const values = (
    read: (firing: CompletedFiring) => string | number | null,
    type: keyof typeof nulls = 'text',
  ): (string | number)[] => completed.map((firing) => read(firing) ?? nulls[type])
  const next = ({ plan }: CompletedFiring): number | null => plan.nextMs
  const due = ({ schedule, plan }: CompletedFiring): number | null =>
    plan.nextMs === null ? null : dueMs({ ...schedule, tenantId: noTenant }, plan.nextMs)
  await database.run(sql`
    UPDATE ${schedules} AS s
       SET next_run_at = CASE WHEN i.fault = '' THEN to_timestamp(${orNull(sql`i.next_ms`, 'number')} / 1000::float8) ELSE s.next_run_at END,
           due_at = CASE WHEN i.fault = '' THEN to_timestamp(${orNull(sql`i.due_ms`, 'number')} / 1000::float8) ELSE s.due_at END,
           last_run_at = coalesce(to_timestamp(${orNull(sql`i.run_ms`, 'number')} / 1000::float8), s.last_run_at),
           last_job_id = coalesce(${orNull(sql`i.job_id`, 'uuid')}, s.last_job_id),
           fired_count = s.fired_count + i.fired,
           missed_count = s.missed_count + i.missed,
           skipped_count = s.skipped_count + i.skipped,
           paused_at = CASE WHEN i.fault = '' THEN s.paused_at ELSE statement_timestamp() END,
           paused_reason = ${orNull(sql`i.fault`, 'text')}
      FROM unnest(${values(({ schedule }) => schedule.name)}::text[], ${values(next, 'number')}::float8[], ${values(due, 'number')}::float8[],
                  ${values(lastFiredMs, 'number')}::float8[], ${values(({ jobs }) => jobs.at(-1)?.job.id ?? null, 'uuid')}::uuid[],
                  ${values(({ jobs }) => jobs.length)}::int[], ${values(missedOf)}::int[], ${values((firing) => skippedOf(firing) + refusedOf(firing))}::int[],
                  ${values(({ fault }) => fault ?? null, 'text')}::text[])
             AS i (name, next_ms, due_ms, run_ms, job_id, fired, missed, skipped, fault)
     WHERE s.tenant_id = ${noTenant} AND s.name = i.name`)
}

function lastFiredMs({ jobs }: CompletedFiring): number | null {
  return jobs.at(-1)?.instantMs ?? null
}

function missedOf({ fault, plan }: CompletedFiring): number {
  return fault === undefined ? plan.missed : 0
}

function skippedOf({ fault, plan, conflicts }: CompletedFiring): number {
  return fault === undefined ? plan.skipped + conflicts : 0
}

function refusedOf({ fault, refused }: CompletedFiring): number {
  return fault === undefined ? refused : 0
}

function report(completed: readonly CompletedFiring[]): Omit<FiringReport, 'locked' | 'more'> {
  const missed: Record<MissedPolicy, number> = { ...noneMissed }
  for (const firing of completed) missed[firing.schedule.missed] += missedOf(firing)
  return {
    fired: completed.flatMap(firedRuns),
    missed,
    skipped: completed.reduce((sum, firing) => sum + skippedOf(firing), 0),
    refused: completed.reduce((sum, firing) => sum + refusedOf(firing), 0),
    paused: completed.flatMap(({ schedule, fault }) =>
      fault === undefined ? [] : [{ schedule: schedule.name, reason: fault }],
    ),
  }
}

function firedRuns({ schedule, jobs, nowMs }: CompletedFiring): FiredRun[] {
  return jobs.map(({ job, instantMs }) => ({
    schedule: schedule.name,
    kind: schedule.kind,
    queue: job.queue,
    jobId: job.id,
    lateMs: nowMs - dueMs({ ...schedule, tenantId: noTenant }, instantMs),
  }))
}
