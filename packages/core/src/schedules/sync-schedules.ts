// The schedules of a source → those in its code. Called by every caller who may write schedules, and by workers when
// they start.
import { sql } from 'kysely'
import { z } from 'zod'
import type { ActDatabase } from '../audit/perform.ts'
import type { QueueDatabase } from '../database/connect.ts'
import { readDatabaseNow } from '../database/id-mint.ts'
import { InvalidInput, type InputIssue, QueueError } from '../domain/errors.ts'
import { type JobRequest, parseOrThrow } from '../domain/job-definition.ts'
import { scheduleSyncMax } from '../domain/limits.ts'
import { insertSchedule } from './create-schedule.ts'
import {
  changedRules,
  checkedName,
  firstInstant,
  invalidSchedule,
  type NewSchedule,
  requestOf,
  scheduleFields,
  type ScheduleRules,
} from './definition.ts'
import { lockSchedules } from './read-schedules.ts'
import { decodeSchedule, noTenant, type ScheduleRow, scheduleTables } from './schedule-row.ts'
import { isSame, replaceSchedule } from './update-schedule.ts'

/** The source of a sync, and the release that its schedules come from. */
export interface SyncOptions {
  /** The name of the code that the schedules belong to. A sync changes no schedules of other sources. */
  readonly source: string
  /** Grows with each release. A sync from an older release changes nothing. */
  readonly revision: number
  /** Whether schedules of this source that are not in the list are deleted. Default false. */
  readonly prune?: boolean
}

/** The result of a sync, by the names of schedules. */
export interface SyncReport {
  /** `outdated`: the source already has a later revision, and nothing was changed. */
  readonly outcome: 'synced' | 'outdated'
  /** The current revision of the source. */
  readonly revision: number
  readonly created: readonly string[]
  readonly updated: readonly string[]
  readonly unchanged: readonly string[]
  readonly deleted: readonly string[]
}

interface CheckedSchedule {
  /** Its index in the list. */
  readonly index: number
  readonly name: string
  readonly request: JobRequest
  readonly rules: ScheduleRules
}

/**
 * Makes the schedules of a source equal to the list, all or none. An unchanged schedule keeps its next instant, and a
 * paused one stays paused. Throws `invalid_schedule` with the index in the list, and `schedule_exists` where a name
 * belongs to another source.
 */
export async function syncSchedules(
  database: ActDatabase,
  list: readonly NewSchedule[],
  options: SyncOptions,
): Promise<SyncReport> {
  const { source, revision, prune } = parseOrThrow(syncSchema, options, 'invalid_schedule')
  const schedules = checkedList(list)
  return database.transaction(async (inside) => {
    const current = await lockSource(inside, source, revision)
    if (current > revision) {
      return { outcome: 'outdated', revision: current, created: [], updated: [], unchanged: [], deleted: [] }
    }
    const names = schedules.map(({ name }) => name)
    const locked = new Map((await lockSchedules(inside, names)).map((row) => [row.name, row]))
    const acts = { created: [] as string[], updated: [] as string[], unchanged: [] as string[] }
    for (const schedule of schedules) {
      const target = { row: locked.get(schedule.name), source, revision }
      const act = await syncSchedule(inside, target, schedule).catch((error: unknown) => {
        throw invalidSchedule(issuesAt(schedule.index, error))
      })
      acts[act].push(schedule.name)
    }
    const deleted = prune ? await deleteOthers(inside, source, names) : []
    return { outcome: 'synced', revision, ...acts, deleted }
  })
}

const syncSchema = z.strictObject({
  source: scheduleFields.source,
  revision: scheduleFields.revision,
  prune: z.boolean().default(false),
})

/** The checked schedules, by name. Throws `invalid_schedule` with every issue of every schedule, each at its index. */
function checkedList(list: readonly NewSchedule[]): CheckedSchedule[] {
  if (list.length > scheduleSyncMax) {
    throw invalidSchedule([{ path: ['schedules'], message: `must be at most ${scheduleSyncMax} schedules` }])
  }
  const issues: InputIssue[] = []
  const names = new Set<string>()
  const schedules = list.flatMap((newSchedule, index) => {
    try {
      const schedule = { ...checked(newSchedule), index }
      if (!names.has(schedule.name)) return [names.add(schedule.name) && schedule]
      issues.push({
        path: ['schedules', index, 'name'],
        message: 'is the name of another schedule in the list',
      })
    } catch (error) {
      issues.push(...issuesAt(index, error))
    }
    return []
  })
  if (issues.length > 0) throw invalidSchedule(issues)
  return schedules.toSorted((a, b) => (a.name < b.name ? -1 : 1))
}

function checked({
  name,
  definition,
  payload,
  options,
  ...timing
}: NewSchedule): Omit<CheckedSchedule, 'index'> {
  return {
    name: checkedName(name),
    rules: changedRules(timing),
    request: requestOf({ definition, payload, ...(options && { options }) }),
  }
}

/** The issues of an invalid schedule, with paths that begin with its index. Throws every other error again. */
function issuesAt(index: number, error: unknown): InputIssue[] {
  if (!(error instanceof InvalidInput)) throw error
  return error.issues.map(({ path, message }) => ({ path: ['schedules', index, ...path], message }))
}

/** Locks the source, so that its syncs run one after the other. Returns the later of the two revisions. */
async function lockSource(database: QueueDatabase, source: string, revision: number): Promise<number> {
  const { sources } = scheduleTables(database)
  const [row] = await database.run(sql<{ revision: number }>`
    INSERT INTO ${sources} AS o (tenant_id, source, revision) VALUES (${noTenant}, ${source}, ${revision})
    ON CONFLICT (tenant_id, source) DO UPDATE
       SET revision = greatest(o.revision, excluded.revision),
           synced_at = CASE WHEN excluded.revision >= o.revision THEN statement_timestamp() ELSE o.synced_at END
    RETURNING o.revision::bigint AS revision`)
  return row?.revision ?? revision
}

/** The existing row of a schedule, and the source and revision to write. */
interface SyncTarget {
  readonly row: ScheduleRow | undefined
  readonly source: string
  readonly revision: number
}

async function syncSchedule(
  database: QueueDatabase,
  { row, source, revision }: SyncTarget,
  { name, request, rules }: CheckedSchedule,
): Promise<'created' | 'updated' | 'unchanged'> {
  if (row === undefined) {
    const nextMs = firstInstant(rules, await readDatabaseNow(database))
    const created = await insertSchedule(database, { name, request, rules, source, revision, nextMs })
    // Another caller has created it since.
    if (created === undefined) throw nameTaken(name)
    return 'created'
  }
  if (row.source !== source) throw nameTaken(name)
  const current = decodeSchedule(row)
  if (isSame(current, request, rules)) return 'unchanged'
  await replaceSchedule(database, { row, current }, { name, request, rules, source, revision })
  return 'updated'
}

function nameTaken(name: string): QueueError {
  return new QueueError(
    'schedule_exists',
    `the schedule ${JSON.stringify(name)} belongs to another source, or was created by hand: delete it, or use another name`,
  )
}

async function deleteOthers(
  database: QueueDatabase,
  source: string,
  names: readonly string[],
): Promise<string[]> {
  const rows = await database.run(sql<{ name: string }>`
    DELETE FROM ${scheduleTables(database).schedules} AS s
     WHERE s.tenant_id = ${noTenant} AND s.source = ${source} AND s.name <> ALL(${names}::text[])
    RETURNING s.name`)
  return rows.map(({ name }) => name).toSorted()
}
