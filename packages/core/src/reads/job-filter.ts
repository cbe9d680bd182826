// Which jobs: the one grammar of filters, for lists, acts and exports, and what it is in SQL. Every scan goes by an index, and
// what no index serves is tested on a bounded number of rows.
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
import type { OptionsOf } from '../domain/options-of.ts'
import { conditionsOf, type IdBounds, idsByMetadata, type MetadataScan } from './metadata-scan.ts'

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
  /** Jobs that have all of these: a number and its text are one. */
  metadata: jobFields.metadata.optional(),
  /** Jobs created at or after this instant, to the millisecond. */
  createdAfter: z.date().optional(),
  /** Jobs created before this instant, to the millisecond. */
  createdBefore: z.date().optional(),
  /** Jobs that ended at or after this instant. */
  finishedAfter: z.date().optional(),
  /** Jobs that ended before this instant. */
  finishedBefore: z.date().optional(),
  /** Jobs of which an attempt failed with this cause, or with one of these. */
  fingerprint: fingerprintsSchema.optional(),
  /** Runs of the schedule with this name. */
  schedule: jobFields.queue.optional(),
  /** Jobs that run in the worker with this id now. */
  worker: jobFields.tenantId.optional(),
  /** Jobs that run in workers of this version now. */
  workerVersion: jobFields.tenantId.optional(),
}
export const jobFilterSchema = z.strictObject(jobFilterFields)

/** Which jobs; all conditions hold at once, and none means all. */
export type JobFilter = OptionsOf<typeof jobFilterFields>

export type CheckedJobFilter = z.output<typeof jobFilterSchema>

/** How far a page has come that its scan has cut short: a job that it has not found may be older. */
export interface Scanned {
  /** How many rows it has read. */
  readonly rows: number
  /** When the last of them was created. */
  readonly backTo: Date
}

export const smallestId = '00000000-0000-0000-0000-000000000000'
export const aboveEveryId = 'ffffffff-ffff-ffff-ffff-ffffffffffff'

/** An id is made by the clock of the database as a process has measured it, which may be off by so much. */
const idClockSlackMs = 60_000

/** The ids that jobs of this filter can have: what was created at an instant, or had ended by one. */
export function idBounds(
  { createdAfter, createdBefore, finishedBefore }: CheckedJobFilter,
  below = aboveEveryId,
): IdBounds {
  const bounds = [below]
  if (createdBefore !== undefined) bounds.push(smallestJobIdAt(createdBefore.getTime()))
  if (finishedBefore !== undefined) {
    bounds.push(smallestJobIdAt(finishedBefore.getTime() + idClockSlackMs))
  }
  return {
    from: createdAfter === undefined ? smallestId : smallestJobIdAt(createdAfter.getTime()),
    below: bounds.toSorted()[0] ?? below,
  }
}

/** One scan of one index, of the rows named `j`. */
export interface IndexScan {
  /** Conditions on `j` that the index serves. */
  readonly indexed: RawBuilder<unknown>
  /** The order of that index, on the row named `alias`. */
  readonly order: (alias: string, direction?: 'ASC' | 'DESC') => RawBuilder<unknown>
  /** Whether the index is the primary key's. */
  readonly byId: boolean
}

/**
 * The key of the index is compared and ordered as a whole. Were its first column merely equal to a value, the order
 * by id would be the primary key's too, and the planner would walk that where it believes the value to be common:
 * through the whole table, when all of it is old.
 */
function keyset(first: RawBuilder<unknown>, value: RawBuilder<unknown>, { from, below }: IdBounds) {
  return sql`(${first}, j.id) >= (${value}, ${from}::uuid) AND (${first}, j.id) < (${value}, ${below}::uuid)`
}

/** The jobs of one state, but for the succeeded, which no index has. */
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

function scanOfRunning(names: SchemaNames, isOne: RawBuilder<unknown>, bounds: IdBounds): IndexScan {
  const locked = sql`SELECT r.id FROM ${names.jobs} AS r WHERE ${isOne}`
  return {
    ...scanOfTenantOrAll(undefined, bounds),
    indexed: sql`j.id = ANY(ARRAY(${locked})) AND ${withinIds(bounds)}`,
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
    const way = sql.raw(direction)
    const byId = sql`${sql.ref(`${alias}.id`)} ${way}`
    return first === undefined ? byId : sql`${sql.ref(`${alias}.${first}`)} ${way}, ${byId}`
  }
}

function withinIds({ from, below }: IdBounds): RawBuilder<unknown> {
  return sql`j.id >= ${from}::uuid AND j.id < ${below}::uuid`
}

/** The index that finds the jobs that run in a worker, or in those of a version; undefined where neither is asked for. */
function scanOfWorkers({ schema, names }: QueueDatabase, filter: CheckedJobFilter, bounds: IdBounds) {
  const { tenantId, worker, workerVersion } = filter
  if (tenantId !== undefined) return undefined
  if (worker !== undefined) return scanOfRunning(names, sql`r.locked_by = ${worker}`, bounds)
  if (workerVersion === undefined) return undefined
  return scanOfRunning(names, sql`r.locked_by = ANY(${ofVersion(schema, workerVersion)})`, bounds)
}

function ofVersion(schema: string, version: string): RawBuilder<unknown> {
  return sql`ARRAY(SELECT w.id FROM ${sql.id(schema, 'workers')} AS w WHERE w.version = ${version})`
}

/** What gives the ids where metadata is asked for, in place of an index of the jobs. */
export function idsOf(
  { names }: QueueDatabase,
  { metadata = {}, tenantId }: CheckedJobFilter,
  bounds: IdBounds,
): MetadataScan | undefined {
  return idsByMetadata(names, { metadata, tenantId, bounds })
}

/** The one index that bounds a list without metadata: that of a tenant, else of its workers, else of a state, else the primary key. */
export function scanOf(database: QueueDatabase, filter: CheckedJobFilter, bounds: IdBounds): IndexScan {
  const { status, tenantId } = filter
  const ofWorkers = scanOfWorkers(database, filter, bounds)
  if (ofWorkers !== undefined) return ofWorkers
  if (tenantId !== undefined || status === undefined || status === 'succeeded') {
    return scanOfTenantOrAll(tenantId, bounds)
  }
  return scanOfState(database.names, status, bounds)
}

/** The conditions of the filter that are tested on each row, named `alias`, beside its tenant, its state and its ids. */
export function restOf(
  { schema, names }: QueueDatabase,
  filter: CheckedJobFilter,
  alias: string,
): RawBuilder<unknown>[] {
  const {
    kind,
    queue,
    key,
    metadata = {},
    finishedAfter,
    finishedBefore,
    fingerprint,
    schedule,
    worker,
    workerVersion,
  } = filter
  const column = (name: string): RawBuilder<unknown> => sql.ref(`${alias}.${name}`)
  const rest = conditionsOf(metadata, alias)
  if (kind !== undefined) rest.push(sql`${column('kind')} = ${kind}`)
  if (queue !== undefined) rest.push(sql`${column('queue')} = ${queue}`)
  if (key !== undefined) rest.push(sql`${column('key')} = ${key}`)
  if (finishedAfter !== undefined)
    rest.push(sql`${column('finished_at')} >= ${instantParameter(finishedAfter)}`)
  if (finishedBefore !== undefined)
    rest.push(sql`${column('finished_at')} < ${instantParameter(finishedBefore)}`)
  if (fingerprint !== undefined) rest.push(hasFailedWith(names, fingerprint, column('id')))
  if (schedule !== undefined)
    rest.push(sql`starts_with(${column('idempotency_key')}, ${`schedule:${schedule}@`})`)
  if (worker !== undefined) rest.push(sql`${column('locked_by')} = ${worker}`)
  if (workerVersion !== undefined)
    rest.push(sql`${column('locked_by')} = ANY(${ofVersion(schema, workerVersion)})`)
  return rest
}

/** OFFSET 0 has the attempts of each job looked up by their key, where the planner would read those of all jobs. */
function hasFailedWith(
  names: SchemaNames,
  fingerprint: Fingerprints,
  id: RawBuilder<unknown>,
): RawBuilder<unknown> {
  return sql`EXISTS (SELECT FROM ${names.executions} AS x WHERE x.job_id = ${id} AND ${hasFingerprint(sql`x.fingerprint`, fingerprint)} OFFSET 0)`
}

/** The same for a list: with its state where its index does not say it, and with what the scope leaves beside a tenant. */
export function restOfList(database: QueueDatabase, filter: CheckedJobFilter): RawBuilder<unknown>[] {
  const { status, tenantId } = filter
  const rest = restOf(database, filter, 's')
  const indexedState =
    tenantId === undefined && status !== undefined && status !== 'succeeded' && !asksForOthers(filter)
  if (status !== undefined && (!indexedState || status === 'running')) {
    rest.push(sql`s.status = ${database.names.status[status]}`)
  }
  const within = isWithin(withoutTenant(database), 's')
  return within === undefined ? rest : [...rest, within]
}

/** Whether the index of the workers or of the metadata is read. */
function asksForOthers({ worker, workerVersion, metadata = {} }: CheckedJobFilter): boolean {
  return worker !== undefined || workerVersion !== undefined || Object.keys(metadata).length > 0
}
