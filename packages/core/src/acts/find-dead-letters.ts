// Finds the dead letters of a bulk action, by their jobs, on a bounded number of rows.
import { type RawBuilder, sql } from 'kysely'
import type { QueueDatabase } from '../database/connect.ts'
import { isWithin } from '../database/scope.ts'
import {
  type CheckedDeadLetterSelection,
  deadLetterScan,
  selectionConditions,
} from '../reads/dead-letters.ts'
import { smallestId } from '../reads/job-filter.ts'
import type { FoundJobs } from './find-jobs.ts'

interface ScanBounds {
  readonly scanMax: number
  readonly max: number
}

type FoundRow = { readonly ids: string[]; readonly rows: number; readonly scan_end: string | null }

/** Dead letters of the selection, from before an instant where one is given, an SQL expression. */
interface Selected {
  readonly selection: CheckedDeadLetterSelection
  readonly before?: RawBuilder<Date> | undefined
}

/** The condition that a dead letter, the row named `d`, is selected and within the scope. */
export function isSelected(database: QueueDatabase, { selection, before }: Selected): RawBuilder<unknown> {
  const within = isWithin(database, 'd')
  const isOlder = before === undefined ? sql`` : sql` AND d.dead_lettered_at < ${before}`
  return sql`${selectionConditions(selection)}${isOlder}${within === undefined ? sql`` : sql` AND ${within}`}`
}

/** The dead letters of the selection, newest first, as in their list. */
export async function findLatestDeadLetters(
  database: QueueDatabase,
  selection: CheckedDeadLetterSelection,
  { scanMax, max }: ScanBounds,
): Promise<FoundJobs> {
  const tenantId = database.scope?.tenantId ?? selection.tenantId
  const { conditions, order } = deadLetterScan({ ...selection, tenantId })
  const [row] = await database.run(sql<FoundRow>`
    WITH scan AS MATERIALIZED (
      SELECT d.* FROM ${database.names.deadLetterList} AS d WHERE ${conditions} ORDER BY ${order}
       LIMIT ${sql.lit(scanMax)}
    )
    SELECT ARRAY(SELECT d.job_id FROM scan AS d WHERE ${isSelected(database, { selection })}
              ORDER BY d.dead_lettered_at DESC, d.id DESC LIMIT ${sql.lit(max + 1)}) AS ids,
           (SELECT count(*)::int FROM scan) AS rows,
           (SELECT d.job_id FROM scan AS d ORDER BY d.dead_lettered_at, d.id LIMIT 1) AS scan_end`)
  return toFoundJobs(row, { scanMax, max })
}

/** The next dead letters by the ids of their jobs, oldest job first. */
export async function findNextDeadLetters(
  database: QueueDatabase,
  selected: Selected,
  { after, scanMax, max }: ScanBounds & { readonly after: string | null },
): Promise<FoundJobs> {
  const [row] = await database.run(sql<FoundRow>`
    WITH scan AS MATERIALIZED (
      SELECT d.* FROM ${database.names.deadLetters} AS d WHERE d.job_id > ${after ?? smallestId}::uuid
       ORDER BY d.job_id LIMIT ${sql.lit(scanMax)}
    )
    SELECT ARRAY(SELECT d.job_id FROM scan AS d WHERE ${isSelected(database, selected)}
              ORDER BY d.job_id LIMIT ${sql.lit(max + 1)}) AS ids,
           (SELECT count(*)::int FROM scan) AS rows,
           (SELECT d.job_id FROM scan AS d ORDER BY d.job_id DESC LIMIT 1) AS scan_end`)
  return toFoundJobs(row, { scanMax, max })
}

function toFoundJobs(row: FoundRow | undefined, { scanMax, max }: ScanBounds): FoundJobs {
  if (row === undefined) throw new Error('a search returned no row')
  const isCut = row.ids.length > max
  const ids = isCut ? row.ids.slice(0, max) : row.ids
  return {
    ids,
    rows: row.rows,
    scanEnd: isCut ? (ids.at(-1) ?? null) : row.rows >= scanMax ? row.scan_end : null,
  }
}
