// The schedules of a source → those that its code says. Called by whoever may write schedules, and by workers at their start.
import { sql } from 'kysely'
import { z } from 'zod'
import type { ActDatabase } from '../acts.ts'
import type { QueueDatabase } from '../database/connect.ts'
import { readDatabaseNow } from '../database/id-mint.ts'
import { InvalidInput, type InputIssue, QueueError } from '../domain/errors.ts'
import type { JobRequest } from '../domain/job-definition.ts'
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
import { decodeSchedule, noTenant, type ScheduleRow, scheduleTables } from './schedule-row.ts'
import { scheduleColumns } from './schedule-row.ts'
import { isSame, replaceSchedule } from './update-schedule.ts'

/** Whose schedules these are, and which release of it says so. */
export interface SyncOptions {
  /** The name of the code that the schedules belong to: a sync touches no others. */
  readonly source: string
  /** Grows with each release. A sync from an older one changes nothing. */
  readonly revision: number
  /** Whether schedules of this source are deleted that are not among these. Default false. */
  readonly prune?: boolean
}

/** What a sync has done, by the names of schedules. */
export interface SyncReport {
  /** `outdated`: a later revision was there before, and nothing was changed. */
  readonly outcome: 'synced' | 'outdated'
  /** The revision that the source has now. */
  readonly revision: number
  readonly created: readonly string[]
  readonly updated: readonly string[]
  readonly unchanged: readonly string[]
  readonly deleted: readonly string[]
}

interface Wanted {
  /** Its place in the list. */
  readonly index: number
  readonly name: string
  readonly request: JobRequest
  readonly rules: ScheduleRules
}

/**
 * Makes the schedules of a source what the list says, all or none. A schedule that is as it should be keeps its next instant; a
 * pause stays. Throws `invalid_schedule` with the place in the list, and `schedule_exists` where a name belongs to another
 * source.
 */
export async function syncSchedules(
  database: ActDatabase,
  list: readonly NewSchedule[],
  options: SyncOptions,
): Promise<SyncReport> {
  const { source, revision, prune } = checkedOptions(options)
  const wanted = checkedList(list)
  return database.transaction(async (inside) => {
    const current = await lockSource(inside, source, revision)
    if (current > revision) {
      return { outcome: 'outdated', revision: current, created: [], updated: [], unchanged: [], deleted: [] }
    }
    const names = wanted.map(({ name }) => name)
    const locked = await lockNamed(inside, names)
    const acts = { created: [] as string[], updated: [] as string[], unchanged: [] as string[] }
    for (const one of wanted) {
      const act = await apply(inside, { row: locked.get(one.name), source, revision }, one).catch(
        (error: unknown) => {
          throw invalidSchedule(placed(error, one.index))
        },
      )
      acts[act].push(one.name)
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

function checkedOptions(options: SyncOptions): z.output<typeof syncSchema> {
  const parsed = syncSchema.safeParse(options)
  if (parsed.success) return parsed.data
  throw invalidSchedule(parsed.error.issues.map(({ path, message }) => ({ path: path.map(String), message })))
}

/** Everything that is wrong with any of them, at its place. */
function checkedList(list: readonly NewSchedule[]): Wanted[] {
  if (list.length > scheduleSyncMax) {
    throw invalidSchedule([{ path: ['schedules'], message: `must be at most ${scheduleSyncMax}` }])
  }
  const issues: InputIssue[] = []
  const names = new Set<string>()
  const wanted = list.flatMap((given, index) => {
    try {
      const one = { ...checked(given), index }
      if (!names.has(one.name)) return [names.add(one.name) && one]
      issues.push({ path: ['schedules', index, 'name'], message: 'is the name of two of these' })
    } catch (error) {
      issues.push(...placed(error, index))
    }
    return []
  })
  if (issues.length > 0) throw invalidSchedule(issues)
  return wanted.toSorted((a, b) => (a.name < b.name ? -1 : 1))
}

function checked({ name, definition, payload, options, ...timing }: NewSchedule): Omit<Wanted, 'index'> {
  return {
    name: checkedName(name),
    rules: changedRules(timing),
    request: requestOf({ definition, payload, ...(options && { options }) }),
  }
}

/** What is wrong with the one at this place. Throws every other error. */
function placed(error: unknown, index: number): InputIssue[] {
  if (!(error instanceof InvalidInput)) throw error
  return error.issues.map(({ path, message }) => ({ path: ['schedules', index, ...path], message }))
}

/** Locks the source, so that its syncs come one after the other, and gives the later of the two revisions. */
async function lockSource(database: QueueDatabase, source: string, revision: number): Promise<number> {
  const { sources } = scheduleTables(database)
  const [row] = await database.run(sql<{ revision: number }>`
    INSERT INTO ${sources} AS o (tenant_id, source, revision) VALUES (${noTenant}, ${source}, ${revision})
    ON CONFLICT (tenant_id, source) DO UPDATE
       SET revision = greatest(o.revision, excluded.revision),
           synced_at = CASE WHEN excluded.revision >= o.revision THEN statement_timestamp() ELSE o.synced_at END
    RETURNING o.revision::float8 AS revision`)
  return row?.revision ?? revision
}

/** Those that are there already, locked in the order of their names. */
async function lockNamed(
  database: QueueDatabase,
  names: readonly string[],
): Promise<Map<string, ScheduleRow>> {
  const rows = await database.run(sql<ScheduleRow>`
    SELECT ${scheduleColumns} FROM ${scheduleTables(database).schedules} AS s
     WHERE s.tenant_id = ${noTenant} AND s.name = ANY(${names}::text[]) ORDER BY s.name FOR UPDATE`)
  return new Map(rows.map((row) => [row.name, row]))
}

interface Found {
  readonly row: ScheduleRow | undefined
  readonly source: string
  readonly revision: number
}

async function apply(
  database: QueueDatabase,
  { row, source, revision }: Found,
  { name, request, rules }: Wanted,
): Promise<'created' | 'updated' | 'unchanged'> {
  if (row === undefined) {
    const nextMs = firstInstant(rules, await readDatabaseNow(database))
    const written = await insertSchedule(database, { name, request, rules, source, revision, nextMs })
    // Somebody else has made it since.
    if (written === undefined) throw otherSource(name)
    return 'created'
  }
  if (row.source !== source) throw otherSource(name)
  const current = decodeSchedule(row)
  if (isSame(current, request, rules)) return 'unchanged'
  await replaceSchedule(database, { row, current }, { name, request, rules, source, revision })
  return 'updated'
}

function otherSource(name: string): QueueError {
  return new QueueError(
    'schedule_exists',
    `the schedule ${JSON.stringify(name)} belongs to another source, or was made by hand: delete it, or choose another name`,
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
