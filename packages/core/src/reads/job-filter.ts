// The filters of jobs, which lists, bulk actions and exports share, and their translation to SQL. Every scan uses an
// index. Conditions without an index are tested on a bounded number of rows.
import { type RawBuilder, sql } from 'kysely'
import { z } from 'zod'
import { hasFingerprint } from '../database/fingerprint-condition.ts'
import type { QueueDatabase } from '../database/connect.ts'
import { instantParameter } from '../database/instant.ts'
import type { SchemaNames } from '../database/schema-names.ts'
import { withoutTenant, isWithin } from '../database/scope.ts'
import { type Fingerprints, fingerprintsSchema } from '../domain/fingerprint.ts'
import { jobFields, type JobStatus, jobStatuses } from '../domain/job.ts'
import { smallestJobIdAt } from '../domain/job-id.ts'
import { enqueueAgeMsMax } from '../domain/limits.ts'
import type { OptionsOf } from '../domain/options-of.ts'
import {
  beyondIndex,
  type IdBounds,
  idsByMetadata,
  metadataConditions,
  type MetadataScan,
} from './metadata-scan.ts'

export type { IdBounds } from './metadata-scan.ts'

export const jobFilterFields = {
  /** Jobs in this state. */
  status: z.enum(jobStatuses).optional(),
  /** Jobs of this kind. */
  kind: jobFields.kind.optional(),
  /** Jobs of this queue. */
  queue: jobFields.queue.optional(),
  /** Jobs of this tenant. */
  tenantId: jobFields.tenantId.optional(),
  /** Jobs with this key. */
  key: jobFields.key.optional(),
  /** Jobs that have all of these members. A number and its text are equal. */
  metadata: jobFields.metadata
    .refine(
      (members) => Object.keys(members).length > 0,
      'names no member, and would select every job: leave it out',
    )
    .optional(),
  /** Jobs created at or after this instant, to the millisecond. */
  createdAfter: z.date().optional(),
  /** Jobs created before this instant, to the millisecond. */
  createdBefore: z.date().optional(),
  /** Jobs that ended at or after this instant. */
  finishedAfter: z.date().optional(),
  /** Jobs that ended before this instant. */
  finishedBefore: z.date().optional(),
  /** Jobs with an attempt that failed with this fingerprint, or with one of these. */
  fingerprint: fingerprintsSchema.optional(),
  /** Runs of the schedule with this name. */
  schedule: jobFields.queue.optional(),
  /** Jobs that the worker with this id is running now. */
  worker: jobFields.tenantId.optional(),
  /** Jobs that workers of this version are running now. */
  workerVersion: jobFields.tenantId.optional(),
}
export const jobFilterSchema = z.strictObject(jobFilterFields)

/** Selects jobs. All conditions must hold; without any, all jobs are selected. */
export type JobFilter = OptionsOf<typeof jobFilterFields>

export type CheckedJobFilter = z.output<typeof jobFilterSchema>

/** How far the scan of a page got before it reached its maximum. Older jobs may match too. */
export interface Scanned {
  /** How many rows it has read. */
  readonly rows: number
  /** The instant of the last row's id: every job that was created before it is still to be read. */
  readonly backTo: Date
}

export const smallestId = '00000000-0000-0000-0000-000000000000'
export const aboveEveryId = 'ffffffff-ffff-ffff-ffff-ffffffffffff'

/** A clock that was set back may have put the end of a job before its creation by this much. */
const clockSlackMs = 60_000

/**
 * The range of ids that jobs of this filter can have. An id is never later than the creation of its job, and at most
 * `enqueueAgeMsMax` earlier, so these bounds only narrow the scan: `rowConditions` compare the creation itself.
 */
export function idBounds(
  { createdAfter, createdBefore, finishedBefore }: CheckedJobFilter,
  below = aboveEveryId,
): IdBounds {
  const bounds = [below]
  if (createdBefore !== undefined) bounds.push(smallestJobIdAt(createdBefore.getTime()))
  if (finishedBefore !== undefined) {
    bounds.push(smallestJobIdAt(finishedBefore.getTime() + clockSlackMs))
  }
  return {
    from: createdAfter === undefined ? smallestId : smallestJobIdAt(createdAfter.getTime() - enqueueAgeMsMax),
    below: bounds.toSorted()[0] ?? below,
  }
}

/** A scan of one index, of the rows named `j`. */
export interface IndexScan {
  /** The conditions on `j` that the index serves. */
  readonly indexed: RawBuilder<unknown>
  /** The order of the index, on the row named `alias`. */
  readonly order: (alias: string, direction?: 'ASC' | 'DESC') => RawBuilder<unknown>
  /** Whether the index is the primary key. */
  readonly byId: boolean
}

interface OrderedScan extends Pick<IndexScan, 'indexed' | 'order'> {
  /** What is read of each row, with the columns of the order. Default: all. */
  readonly columns?: RawBuilder<unknown>
  readonly direction?: 'ASC' | 'DESC'
  readonly max: number
}

/**
 * The first rows of a scan in its order, as a relation. Each place of jobs is read by its own index and cut by itself: PostgreSQL
 * expects few rows behind a compared key, and would read and sort all of them where it had to merge two places.
 */
export function orderedScan(
  { jobLists }: Pick<SchemaNames, 'jobLists'>,
  { columns = sql`j.*`, indexed, order, direction = 'DESC', max }: OrderedScan,
): RawBuilder<unknown> {
  const scans = jobLists.map(
    (list) =>
      sql`(SELECT ${columns} FROM ${list} AS j WHERE ${indexed} ORDER BY ${order('j', direction)} LIMIT ${sql.lit(max)})`,
  )
  const [only, ...others] = scans
  if (only !== undefined && others.length === 0) return only
  return sql`(
        SELECT j.* FROM (${sql.join(scans, sql` UNION ALL `)}) AS j ORDER BY ${order('j', direction)} LIMIT ${sql.lit(max)})`
}

/**
 * Compares the index key as a whole, and the scan is ordered by it as a whole. If the first column were only compared
 * with a value, the order by id would be the primary key's too. The planner would then walk the primary key where it
 * expects the value to be frequent: through the whole table, when all matching rows are old.
 */
function keyset(first: RawBuilder<unknown>, value: RawBuilder<unknown>, { from, below }: IdBounds) {
  return sql`(${first}, j.id) >= (${value}, ${from}::uuid) AND (${first}, j.id) < (${value}, ${below}::uuid)`
}

/** A scan of the jobs in one state. Succeeded jobs are in no such index. */
export function scanOfState(
  names: SchemaNames,
  status: Exclude<JobStatus, 'succeeded'>,
  bounds: IdBounds,
): IndexScan {
  const { queued, retrying, failed_permanent, cancelled } = names.status
  if (status === 'running') return scanOfRunning(names, sql`r.locked_by IS NOT NULL`, bounds)
  return {
    indexed: sql`j.status IN (${queued}, ${retrying}, ${failed_permanent}, ${cancelled})
      AND ${keyset(sql`j.status`, names.status[status], bounds)}`,
    order: byColumns('status'),
    byId: false,
  }
}

function scanOfRunning(names: SchemaNames, condition: RawBuilder<unknown>, bounds: IdBounds): IndexScan {
  const locked = sql`SELECT r.id FROM ${names.jobs} AS r WHERE ${condition}`
  return {
    ...scanOfTenantOrAll(undefined, bounds),
    // No archived job is locked, which PostgreSQL knows when it plans.
    indexed: sql`j.id = ANY(ARRAY(${locked})) AND j.locked_by IS NOT NULL AND ${withinIds(bounds)}`,
  }
}

function scanOfTenantOrAll(tenantId: string | undefined, bounds: IdBounds): IndexScan {
  if (tenantId === undefined) return { indexed: withinIds(bounds), order: byColumns(), byId: true }
  return {
    indexed: sql`j.tenant_id IS NOT NULL AND ${keyset(sql`j.tenant_id`, sql`${tenantId}`, bounds)}`,
    order: byColumns('tenant_id'),
    byId: false,
  }
}

function byColumns(first?: string): IndexScan['order'] {
  return (alias, direction = 'DESC') => {
    const directionSql = sql.raw(direction)
    const byId = sql`${sql.ref(`${alias}.id`)} ${directionSql}`
    return first === undefined ? byId : sql`${sql.ref(`${alias}.${first}`)} ${directionSql}, ${byId}`
  }
}

function withinIds({ from, below }: IdBounds): RawBuilder<unknown> {
  return sql`j.id >= ${from}::uuid AND j.id < ${below}::uuid`
}

/** The scan of the jobs that one worker runs, or the workers of a version run; undefined where the filter names neither. */
function scanOfWorkers({ schema, names }: QueueDatabase, filter: CheckedJobFilter, bounds: IdBounds) {
  const { tenantId, worker, workerVersion } = filter
  if (tenantId !== undefined) return undefined
  if (worker !== undefined) return scanOfRunning(names, sql`r.locked_by = ${worker}`, bounds)
  if (workerVersion === undefined) return undefined
  return scanOfRunning(names, sql`r.locked_by = ANY(${workersOfVersion(schema, workerVersion)})`, bounds)
}

function workersOfVersion(schema: string, version: string): RawBuilder<unknown> {
  return sql`ARRAY(SELECT w.id FROM ${sql.id(schema, 'workers')} AS w WHERE w.version = ${version})`
}

/** The scan that returns ids by metadata, in place of an index of jobs; undefined where the filter has no metadata. */
export function metadataScanOf(
  { names }: QueueDatabase,
  { metadata = {}, tenantId }: CheckedJobFilter,
  bounds: IdBounds,
): MetadataScan | undefined {
  return idsByMetadata(names, { metadata, tenantId, bounds })
}

/**
 * The one index that bounds a list without metadata: that of a tenant, else of its workers, else of a state, else the
 * primary key.
 */
export function scanOf(database: QueueDatabase, filter: CheckedJobFilter, bounds: IdBounds): IndexScan {
  const { status, tenantId } = filter
  const ofWorkers = scanOfWorkers(database, filter, bounds)
  if (ofWorkers !== undefined) return ofWorkers
  if (tenantId !== undefined || status === undefined || status === 'succeeded') {
    return scanOfTenantOrAll(tenantId, bounds)
  }
  return scanOfState(database.names, status, bounds)
}

/** The conditions on the row of a job, named `alias`: all but the tenant and the state. */
export function rowConditions(
  { schema, names }: QueueDatabase,
  filter: CheckedJobFilter,
  alias: string,
): RawBuilder<unknown>[] {
  const {
    kind,
    queue,
    key,
    metadata = {},
    createdAfter,
    createdBefore,
    finishedAfter,
    finishedBefore,
    fingerprint,
    schedule,
    worker,
    workerVersion,
  } = filter
  const column = (name: string): RawBuilder<unknown> => sql.ref(`${alias}.${name}`)
  const conditions = metadataConditions(metadata, alias)
  if (kind !== undefined) conditions.push(sql`${column('kind')} = ${kind}`)
  if (queue !== undefined) conditions.push(sql`${column('queue')} = ${queue}`)
  if (key !== undefined) conditions.push(sql`${column('key')} = ${key}`)
  if (createdAfter !== undefined)
    conditions.push(sql`${column('created_at')} >= ${instantParameter(createdAfter)}`)
  if (createdBefore !== undefined)
    conditions.push(sql`${column('created_at')} < ${instantParameter(createdBefore)}`)
  if (finishedAfter !== undefined)
    conditions.push(sql`${column('finished_at')} >= ${instantParameter(finishedAfter)}`)
  if (finishedBefore !== undefined)
    conditions.push(sql`${column('finished_at')} < ${instantParameter(finishedBefore)}`)
  if (fingerprint !== undefined) conditions.push(hasFailedWith(names, fingerprint, column('id')))
  if (schedule !== undefined)
    conditions.push(sql`starts_with(${column('idempotency_key')}, ${`schedule:${schedule}@`})`)
  if (worker !== undefined) conditions.push(sql`${column('locked_by')} = ${worker}`)
  if (workerVersion !== undefined)
    conditions.push(sql`${column('locked_by')} = ANY(${workersOfVersion(schema, workerVersion)})`)
  return conditions
}

/**
 * Whether an attempt of the job failed with one of these fingerprints. OFFSET 0 makes each a lookup by the job's id,
 * where the planner would otherwise read the attempts of all jobs.
 */
function hasFailedWith(
  names: SchemaNames,
  fingerprint: Fingerprints,
  id: RawBuilder<unknown>,
): RawBuilder<unknown> {
  return sql`EXISTS (SELECT FROM ${names.executions} AS x WHERE x.job_id = ${id} AND ${hasFingerprint(sql`x.fingerprint`, fingerprint)} OFFSET 0)`
}

/**
 * The conditions of a list: with the state where the index does not serve it, and with the caller's scope beyond the
 * tenant.
 */
export function listConditions(database: QueueDatabase, filter: CheckedJobFilter): RawBuilder<unknown>[] {
  const { status, tenantId, metadata = {} } = filter
  const conditions = rowConditions(database, { ...filter, metadata: beyondIndex(metadata) }, 's')
  const indexedState =
    tenantId === undefined && status !== undefined && status !== 'succeeded' && !usesOtherIndex(filter)
  if (status !== undefined && (!indexedState || status === 'running')) {
    conditions.push(sql`s.status = ${database.names.status[status]}`)
  }
  const within = isWithin(withoutTenant(database), 's')
  return within === undefined ? conditions : [...conditions, within]
}

/** Whether the list reads the index of workers or of metadata. */
function usesOtherIndex({ worker, workerVersion, metadata = {} }: CheckedJobFilter): boolean {
  return worker !== undefined || workerVersion !== undefined || Object.keys(metadata).length > 0
}
