// Which jobs an act by filter finds, on a bounded number of rows: the newest first for an answer at once, the oldest first for the
// batches of an operation.
import { type RawBuilder, sql } from 'kysely'
import type { QueueDatabase } from '../database/connect.ts'
import { isWithin } from '../database/scope.ts'
import type { JobStatus } from '../domain/job.ts'
import {
  aboveEveryId,
  type CheckedJobFilter,
  idBounds,
  metadataScanOf,
  type IdBounds,
  type IndexScan,
  rowConditions,
  scanOf,
  scanOfState,
} from '../reads/job-filter.ts'

export interface FindInput {
  readonly filter: CheckedJobFilter
  /** The states in which the act changes a job. */
  readonly states: readonly JobStatus[]
  readonly order: 'newest_first' | 'oldest_first'
  /** Only jobs after this one. */
  readonly after?: string | null
  /** Only jobs up to this one. */
  readonly upTo?: string
  /** Rows that it reads at most … */
  readonly scanMax: number
  /** … and jobs that it gives. */
  readonly max: number
}

export interface FoundJobs {
  readonly ids: readonly string[]
  /** Rows of indexes that it has read. */
  readonly rows: number
  /** The last row that it has looked at, where there are more; null: it has looked at all. */
  readonly scanEnd: string | null
}

/** The jobs of the filter in which the act finds something to do. */
export async function findJobs(database: QueueDatabase, input: FindInput): Promise<FoundJobs> {
  const states = statesOf(input)
  if (states.length === 0) return { ids: [], rows: 0, scanEnd: null }
  const [row] = await database.run(findStatement(database, input, states))
  if (row === undefined) throw new Error('a search gave no answer')
  const ids = row.ids
  const cut = ids.length > input.max
  const found = cut ? ids.slice(0, input.max) : ids
  return {
    ids: found,
    rows: row.rows,
    scanEnd: cut ? (found.at(-1) ?? null) : row.rows >= input.scanMax ? row.scan_end : null,
  }
}

function statesOf({ filter, states }: FindInput): readonly JobStatus[] {
  return filter.status === undefined ? states : states.filter((state) => state === filter.status)
}

/** What has to hold of a job, the row named `alias`, for the act to change it: of the row as it is once it is locked. */
export function isFound(
  database: QueueDatabase,
  { filter, states }: Pick<FindInput, 'filter' | 'states'>,
  alias: string,
): RawBuilder<unknown> {
  const { names } = database
  const own = states.filter((state) => filter.status === undefined || state === filter.status)
  const within = isWithin(database, alias)
  const tenant =
    filter.tenantId === undefined ? [] : [sql`${sql.ref(`${alias}.tenant_id`)} = ${filter.tenantId}`]
  return sql.join(
    [
      sql`${sql.ref(`${alias}.status`)} IN (${sql.join(own.map((state) => names.status[state]))})`,
      ...tenant,
      ...rowConditions(database, filter, alias),
      ...(within === undefined ? [] : [within]),
    ],
    sql` AND `,
  )
}

interface FoundRow {
  readonly ids: string[]
  readonly rows: number
  readonly scan_end: string | null
}

function findStatement(
  database: QueueDatabase,
  input: FindInput,
  states: readonly JobStatus[],
): RawBuilder<FoundRow> {
  const { names, scope } = database
  const { order, scanMax, max } = input
  const filter = { ...input.filter, tenantId: scope?.tenantId ?? input.filter.tenantId }
  const way = order === 'newest_first' ? 'DESC' : 'ASC'
  const byId = (alias: string): RawBuilder<unknown> => sql`${sql.ref(`${alias}.id`)} ${sql.raw(way)}`
  // What goes through a view has its order there, and a table has it either way.
  const table = order === 'newest_first' ? names.jobList : names.jobs
  const outer = boundsOf(input)
  const bounds = narrower(idBounds(filter, outer.below), outer)
  const ids = metadataScanOf(database, filter, bounds)
  const scans =
    ids === undefined
      ? scansOf(database, filter, { states, bounds }).map(
          (scan) => sql`(SELECT j.id FROM ${table} AS j WHERE ${scan.indexed}
        ORDER BY ${scan.order('j', way)} LIMIT ${sql.lit(scanMax)})`,
        )
      : [sql`(${ids(scanMax, way)})`]
  return sql<FoundRow>`
    WITH scan AS MATERIALIZED (
      SELECT ARRAY(
        SELECT x.id FROM (${sql.join(scans, sql` UNION ALL `)}) AS x ORDER BY ${byId('x')} LIMIT ${sql.lit(scanMax)}
      ) AS ids
    )
    SELECT ARRAY(
        SELECT s.id FROM ${names.jobs} AS s
         WHERE s.id = ANY((SELECT scan.ids FROM scan)::uuid[]) AND ${isFound(database, { filter, states }, 's')}
         ORDER BY ${byId('s')} LIMIT ${sql.lit(max + 1)}
      ) AS ids, cardinality(scan.ids) AS rows, scan.ids[cardinality(scan.ids)] AS scan_end
      FROM scan`
}

/** The index of a tenant, of a worker or of all jobs; otherwise that of the states, a scan for each. */
function scansOf(
  database: QueueDatabase,
  filter: CheckedJobFilter,
  { states, bounds }: { readonly states: readonly JobStatus[]; readonly bounds: IdBounds },
): readonly IndexScan[] {
  const { tenantId, worker, workerVersion } = filter
  const indexed = states.filter((state) => state !== 'succeeded')
  const isByStates =
    tenantId === undefined &&
    worker === undefined &&
    workerVersion === undefined &&
    indexed.length === states.length
  if (!isByStates) return [scanOf(database, { ...filter, status: undefined }, bounds)]
  return indexed.map((state) => scanOfState(database.names, state, bounds))
}

function boundsOf({ after, upTo }: FindInput): IdBounds {
  return {
    from: after === undefined || after === null ? '' : idAfter(after),
    below: upTo === undefined || upTo === aboveEveryId ? aboveEveryId : idAfter(upTo),
  }
}

function narrower(a: IdBounds, b: IdBounds): IdBounds {
  return { from: a.from > b.from ? a.from : b.from, below: a.below < b.below ? a.below : b.below }
}

/** The next id in the order of ids: bounds are half open. */
function idAfter(id: string): string {
  const next = (BigInt(`0x${id.replaceAll('-', '')}`) + 1n).toString(16).padStart(32, '0')
  return next.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}
