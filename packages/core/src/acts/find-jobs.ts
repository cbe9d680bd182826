// Finds the jobs of a bulk action on a bounded number of rows: newest first to change them at once, oldest first for
// the batches of an operation.
import { type RawBuilder, sql } from 'kysely'
import { isOneOf } from '../database/archive.ts'
import type { QueueDatabase } from '../database/connect.ts'
import type { SchemaNames } from '../database/schema-names.ts'
import { isWithin } from '../database/scope.ts'
import type { JobStatus } from '../domain/job.ts'
import {
  aboveEveryId,
  type CheckedJobFilter,
  idBounds,
  metadataScanOf,
  orderedScan,
  type IdBounds,
  type IndexScan,
  rowConditions,
  scanOf,
  scanOfState,
} from '../reads/job-filter.ts'

export interface FindInput {
  readonly filter: CheckedJobFilter
  /** The states in which the action changes a job. */
  readonly states: readonly JobStatus[]
  /** A further condition that the action changes a job, on the row named by the alias. */
  readonly changes?: ((names: SchemaNames, alias: string) => RawBuilder<unknown>) | undefined
  /** Only jobs that were created before this instant, an SQL expression. */
  readonly before?: RawBuilder<Date> | undefined
  readonly order: 'newest_first' | 'oldest_first'
  /** Only jobs after this id. */
  readonly after?: string | null
  /** Only jobs up to this id. */
  readonly upTo?: string
  /** The most rows to read. */
  readonly scanMax: number
  /** The most jobs to return. */
  readonly max: number
}

export interface FoundJobs {
  readonly ids: readonly string[]
  /** Number of index rows that were read. */
  readonly rows: number
  /** The last row that was read, where there are more; null where all were read. */
  readonly scanEnd: string | null
}

/** The jobs of the filter that the action can change. */
export async function findJobs(database: QueueDatabase, input: FindInput): Promise<FoundJobs> {
  const states = statesOf(input)
  if (states.length === 0) return { ids: [], rows: 0, scanEnd: null }
  const [row] = await database.run(findStatement(database, input, states))
  if (row === undefined) throw new Error('a search returned no row')
  const isCut = row.ids.length > input.max
  const ids = isCut ? row.ids.slice(0, input.max) : row.ids
  return {
    ids,
    rows: row.rows,
    scanEnd: isCut ? (ids.at(-1) ?? null) : row.rows >= input.scanMax ? row.scan_end : null,
  }
}

function statesOf({ filter, states }: FindInput): readonly JobStatus[] {
  return filter.status === undefined ? states : states.filter((state) => state === filter.status)
}

/** The condition that a job, the row named `alias`, can be changed by the action: it is tested again once the row is locked. */
export function isFound(
  database: QueueDatabase,
  { filter, states, changes, before }: Pick<FindInput, 'filter' | 'states' | 'changes' | 'before'>,
  alias: string,
): RawBuilder<unknown> {
  const { names } = database
  const allowedStates = states.filter((state) => filter.status === undefined || state === filter.status)
  const within = isWithin(database, alias)
  const tenant =
    filter.tenantId === undefined ? [] : [sql`${sql.ref(`${alias}.tenant_id`)} = ${filter.tenantId}`]
  return sql.join(
    [
      sql`${sql.ref(`${alias}.status`)} IN (${sql.join(allowedStates.map((state) => names.status[state]))})`,
      ...tenant,
      ...(changes === undefined ? [] : [changes(names, alias)]),
      ...(before === undefined ? [] : [sql`${sql.ref(`${alias}.created_at`)} < ${before}`]),
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
  const { order, changes, before, scanMax, max } = input
  const filter = { ...input.filter, tenantId: scope?.tenantId ?? input.filter.tenantId }
  const direction = order === 'newest_first' ? 'DESC' : 'ASC'
  const byId = (alias: string): RawBuilder<unknown> => sql`${sql.ref(`${alias}.id`)} ${sql.raw(direction)}`
  // The list of a tenant is read in the order of an index; a table has that order in both directions.
  const jobLists = order === 'oldest_first' && names.behindViews ? [names.allJobs] : names.jobLists
  const requested = boundsOf(input)
  const bounds = narrower(idBounds(filter, requested.below), requested)
  const ids = metadataScanOf(database, filter, bounds)
  const scans =
    ids === undefined
      ? scansOf(database, filter, { states, bounds }).map(
          (scan) =>
            sql`(SELECT j.id FROM ${orderedScan({ jobLists }, { ...scan, direction, max: scanMax })} AS j)`,
        )
      : [sql`(${ids(scanMax, direction)})`]
  return sql<FoundRow>`
    WITH scan AS MATERIALIZED (
      SELECT ARRAY(
        SELECT x.id FROM (${sql.join(scans, sql` UNION ALL `)}) AS x ORDER BY ${byId('x')} LIMIT ${sql.lit(scanMax)}
      ) AS ids
    )
    SELECT ARRAY(
        SELECT s.id FROM ${names.allJobs} AS s
         WHERE ${isOneOf('s', sql`SELECT scan.ids FROM scan`)} AND ${isFound(database, { filter, states, changes, before }, 's')}
         ORDER BY ${byId('s')} LIMIT ${sql.lit(max + 1)}
      ) AS ids, cardinality(scan.ids) AS rows, scan.ids[cardinality(scan.ids)] AS scan_end
      FROM scan`
}

/** The index of a tenant, of a worker or of all jobs; otherwise the index of states, with one scan for each state. */
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

/** The next id in the order of ids, because bounds are half open. */
function idAfter(id: string): string {
  const next = (BigInt(`0x${id.replaceAll('-', '')}`) + 1n).toString(16).padStart(32, '0')
  return next.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}
