// The keys of a queue with the most waiting jobs. Where few jobs wait, they are counted. Where many wait, a sample
// finds the keys to count, and the count of each key stops at a maximum.
import { type RawBuilder, sql } from 'kysely'
import { z } from 'zod'
import type { QueueDatabase } from '../database/connect.ts'
import { andWithin } from '../database/scope.ts'
import { parseOrThrow } from '../domain/job-definition.ts'
import { jobFields } from '../domain/job.ts'
import {
  queueKeyCountMax,
  queueKeysDefault,
  queueKeysMax,
  queueKeysPagesMax,
  queueKeysReadMax,
} from '../domain/limits.ts'
import type { OptionsOf } from '../domain/options-of.ts'
import { limitOfKey } from '../database/limit-counters.ts'

/** Whether the limits of a key allow its jobs to start: `open` where they do, else what stops them. */
export type QueueKeyState = 'open' | 'paused' | 'full' | 'rate_spent'

/** The jobs of one key and tenant in a queue. */
export interface QueueKey {
  readonly key: string
  /** Null: jobs without a tenant. The same key of another tenant is a different key. */
  readonly tenantId: string | null
  readonly waiting: number
  /** Whether more may wait. `waiting` and `oldestReadySeconds` are then lower bounds. */
  readonly waitingIsLeast: boolean
  /** An estimate from a sample, where `waiting` is a lower bound and the sample contains jobs of the key; else null. */
  readonly waitingEstimate: number | null
  readonly running: number
  /** Seconds since its oldest waiting job became due; null where none is due. */
  readonly oldestReadySeconds: number | null
  readonly state: QueueKeyState
  readonly pausedAt: Date | null
  /** How many of its jobs may run at a time, by its own limit or that of each key; null: no limit. */
  readonly maxRunning: number | null
  /** When its rate allows the next start; null where it does so now. */
  readonly rateOpensAt: Date | null
  /** Whether its jobs start in order. */
  readonly isOrdered: boolean
  /** Whether there is a limit for this key by name. */
  readonly hasLimit: boolean
}

/** The keys of a queue. */
export interface QueueKeys {
  /** The keys with the most waiting jobs first. */
  readonly keys: readonly QueueKey[]
  /** Whether all waiting jobs were counted. If not, a key with few jobs may be missing. */
  readonly isComplete: boolean
}

const queryFields = {
  /** The most keys, 1 to 50. Default 20. */
  limit: z.int().min(1).max(queueKeysMax).optional(),
}
const querySchema = z.strictObject(queryFields)

/** How many keys to return. */
export type QueueKeysQuery = OptionsOf<typeof queryFields>

/**
 * The keys of a queue with the most waiting jobs, within the scope of `database`; none for a queue that does not exist.
 * Where more than `queueKeysReadMax` jobs with a key wait, a sample of the table's pages finds the keys. The sample is
 * the same as long as the number of pages is, so that a repeated call shows what has changed. A tenant's keys come only
 * from the first jobs.
 *
 * Throws `invalid_options` for an invalid limit.
 */
export async function queueKeys(
  database: QueueDatabase,
  queue: string,
  query: QueueKeysQuery = {},
): Promise<QueueKeys> {
  const { limit = queueKeysDefault } = parseOrThrow(querySchema, query, 'invalid_options')
  // An invalid name may contain characters that PostgreSQL does not accept.
  if (!jobFields.queue.safeParse(queue).success) return { keys: [], isComplete: true }
  const counted = await database.run(countFirst(database, { queue, limit }))
  if (!counted.some(({ has_more: hasMore }) => hasMore)) {
    return { keys: counted.map((row) => decodeKey(row, Infinity)), isComplete: true }
  }
  const sampled = await database.run(countSampled(database, { queue, limit, firstKeys: counted }))
  return { keys: sampled.map((row) => decodeKey(row, queueKeyCountMax)), isComplete: false }
}

interface Row {
  readonly key: string
  /** Empty where the jobs have no tenant. */
  readonly tenant_id: string
  readonly waiting: number
  readonly estimate: number | null
  readonly running: number
  readonly oldest_ready_seconds: number | null
  /** The limit of the key, as JSON; null where the key no longer has any job. */
  readonly limited: string | null
}

/** The result of `limitOfKey`, as JSON. */
interface KeyLimit {
  readonly max_running: number | null
  readonly paused_at: string | null
  readonly rate_opens_at: string | null
  readonly has_limit: boolean
  readonly is_ordered: boolean
}

const unlimited: KeyLimit = {
  max_running: null,
  paused_at: null,
  rate_opens_at: null,
  has_limit: false,
  is_ordered: false,
}

function decodeKey(row: Row, countedMax: number): QueueKey {
  const isLeast = row.waiting > countedMax
  const limit = row.limited === null ? unlimited : (JSON.parse(row.limited) as KeyLimit)
  return {
    key: row.key,
    tenantId: row.tenant_id === '' ? null : row.tenant_id,
    waiting: Math.min(row.waiting, countedMax),
    waitingIsLeast: isLeast,
    waitingEstimate: isLeast ? row.estimate : null,
    running: row.running,
    oldestReadySeconds: row.oldest_ready_seconds,
    state: stateOf(limit, row),
    pausedAt: instant(limit.paused_at),
    maxRunning: limit.max_running,
    rateOpensAt: instant(limit.rate_opens_at),
    isOrdered: limit.is_ordered,
    hasLimit: limit.has_limit,
  }
}

function stateOf(limit: KeyLimit, { running }: Pick<Row, 'running'>): QueueKeyState {
  if (limit.paused_at !== null) return 'paused'
  if (limit.max_running !== null && running >= limit.max_running) return 'full'
  return limit.rate_opens_at === null ? 'open' : 'rate_spent'
}

function instant(text: string | null): Date | null {
  return text === null ? null : new Date(text)
}

interface KeysRequest {
  readonly queue: string
  readonly limit: number
}

/** Counts the first waiting jobs, up to one more than the maximum. `has_more` says whether there was one more. */
function countFirst(
  database: QueueDatabase,
  { queue, limit }: KeysRequest,
): RawBuilder<Row & { has_more: boolean }> {
  return sql`
    WITH first AS MATERIALIZED (
      SELECT j.key, coalesce(j.tenant_id, '') AS tenant_id, j.run_at
        FROM ${waitingKeyedJobs(database)} AND j.queue = ${queue}
       ${inOrderOfIndex(database)} LIMIT ${sql.lit(queueKeysReadMax + 1)}
    ), keys AS (
      SELECT l.key, l.tenant_id, sum(l.waiting)::integer AS waiting, NULL::integer AS estimate, sum(l.running)::integer AS running,
             min(l.oldest) AS oldest
        FROM (
          SELECT f.key, f.tenant_id, count(*) AS waiting, 0 AS running, min(f.run_at) FILTER (WHERE f.run_at <= now()) AS oldest
            FROM first AS f GROUP BY f.key, f.tenant_id
          UNION ALL
          SELECT r.key, r.tenant_id, 0, r.jobs, NULL FROM (${runningByKey(database, queue)}) AS r
        ) AS l
       GROUP BY l.key, l.tenant_id ORDER BY waiting DESC, running DESC, l.key, l.tenant_id LIMIT ${sql.lit(limit)}
    )
    SELECT ${columns}, (SELECT count(*) > ${sql.lit(queueKeysReadMax)} FROM first) AS has_more
      FROM keys AS k${limitOf(database, queue)}
     ORDER BY k.waiting DESC, k.running DESC, k.key, k.tenant_id`
}

/** Counts the keys in the sample, the keys with the most running jobs, and the keys of the first count. */
function countSampled(
  database: QueueDatabase,
  {
    queue,
    limit,
    firstKeys,
  }: KeysRequest & { readonly firstKeys: readonly Pick<Row, 'key' | 'tenant_id'>[] },
): RawBuilder<Row> {
  const limitSql = sql.lit(limit)
  return sql`
    WITH sampled AS MATERIALIZED (
      ${sampledKeys(database, { queue, limit })}
    ), running AS MATERIALIZED (
      ${runningByKey(database, queue)} ORDER BY jobs DESC LIMIT ${limitSql}
    ), found AS (
      SELECT s.key, s.tenant_id FROM sampled AS s
      UNION SELECT r.key, r.tenant_id FROM running AS r
      UNION SELECT g.key, g.tenant_id
        FROM unnest(${firstKeys.map(({ key }) => key)}::text[], ${firstKeys.map((one) => one.tenant_id)}::text[]) AS g (key, tenant_id)
    ), keys AS (
      SELECT f.key, f.tenant_id, c.waiting, s.estimate, coalesce(r.jobs, 0)::integer AS running, c.oldest
        FROM found AS f LEFT JOIN sampled AS s USING (key, tenant_id) LEFT JOIN running AS r USING (key, tenant_id)
       CROSS JOIN LATERAL (
         SELECT count(*)::integer AS waiting, min(w.run_at) FILTER (WHERE w.run_at <= now()) AS oldest FROM (
           SELECT j.run_at FROM ${waitingKeyedJobs(database)} AND j.queue = ${queue} AND j.key = f.key
              AND coalesce(j.tenant_id, '') = f.tenant_id ${inOrderOfIndex(database)} LIMIT ${sql.lit(queueKeyCountMax + 1)}) AS w
       ) AS c
       ORDER BY greatest(c.waiting, s.estimate) DESC, running DESC, f.key, f.tenant_id LIMIT ${limitSql}
    )
    SELECT ${columns}
      FROM keys AS k${limitOf(database, queue)}
     ORDER BY greatest(k.waiting, k.estimate) DESC, k.running DESC, k.key, k.tenant_id`
}

const columns = sql`k.key, k.tenant_id, k.waiting, k.estimate, k.running,
           extract(epoch FROM now() - k.oldest) AS oldest_ready_seconds, l.limited::text AS limited`

/** The order of the index to read. A view cannot be read in that order. */
function inOrderOfIndex({ names }: QueueDatabase): RawBuilder<unknown> {
  return names.behindViews
    ? sql``
    : sql`ORDER BY j.queue, j.key, coalesce(j.tenant_id, ''), j.kind, j.priority, j.run_at, j.id`
}

/** The waiting jobs with a key that the caller can see, named `j`: a FROM with its WHERE. */
function waitingKeyedJobs(database: QueueDatabase): RawBuilder<unknown> {
  const { names, schema } = database
  const within = andWithin(database, 'j')
  if (names.behindViews)
    return sql`${sql.id(schema, 'tenant_keyed_jobs')} AS j WHERE NOT j.is_running${within}`
  const { queued, retrying } = names.status
  return sql`${names.jobs} AS j WHERE j.status IN (${queued}, ${retrying}) AND j.key IS NOT NULL${within}`
}

/** The number of running jobs of each key: `jobs`. */
function runningByKey(database: QueueDatabase, queue: string): RawBuilder<unknown> {
  const { names, schema } = database
  const from = names.behindViews
    ? sql`${sql.id(schema, 'tenant_keyed_jobs')} AS j WHERE j.is_running`
    : sql`${names.jobs} AS j WHERE j.locked_by IS NOT NULL AND j.key IS NOT NULL`
  return sql`SELECT j.key, coalesce(j.tenant_id, '') AS tenant_id, count(*) AS jobs
        FROM ${from} AND j.queue = ${queue}${andWithin(database, 'j')} GROUP BY j.key, coalesce(j.tenant_id, '')`
}

/**
 * The keys with the most waiting jobs and an estimate of their number, from randomly chosen pages of the table. A view
 * has no pages, so a tenant gets no sample.
 */
function sampledKeys(database: QueueDatabase, { queue, limit }: KeysRequest): RawBuilder<unknown> {
  const { names, schema } = database
  if (names.behindViews) {
    return sql`SELECT ''::text AS key, '' AS tenant_id, 0 AS estimate WHERE false`
  }
  const { queued, retrying } = names.status
  const sampledShare = sql`least(1::float8, ${sql.lit(queueKeysPagesMax)}::float8 / greatest(1::float8, pg_catalog.pg_relation_size(${`"${schema}"."jobs"`}::regclass)::float8 / 8192::float8))`
  return sql`SELECT s.key, s.tenant_id, least(2147483647::float8, s.jobs::float8 / ${sampledShare})::integer AS estimate
        FROM (
          SELECT j.key, coalesce(j.tenant_id, '') AS tenant_id, count(*) AS jobs
            FROM ${names.jobs} AS j TABLESAMPLE SYSTEM (100::float8 * ${sampledShare}) REPEATABLE (0)
           WHERE j.status IN (${queued}, ${retrying}) AND j.key IS NOT NULL AND j.queue = ${queue}${andWithin(database, 'j')}
           GROUP BY 1, 2 ORDER BY jobs DESC, 1, 2 LIMIT ${sql.lit(limit)}
        ) AS s`
}

/** The limit of the key of `k`, as `l.limited`. A key without jobs has none. */
function limitOf({ names, schema }: QueueDatabase, queue: string): RawBuilder<unknown> {
  if (names.behindViews) {
    return sql` LEFT JOIN LATERAL (
        SELECT j.limited FROM ${sql.id(schema, 'tenant_keyed_jobs')} AS j WHERE j.queue = ${queue} AND j.key = k.key LIMIT 1
      ) AS l ON true`
  }
  return sql` CROSS JOIN LATERAL (
        SELECT to_jsonb(o) AS limited FROM (SELECT ${queue}::text AS queue, k.key, k.tenant_id) AS p
         CROSS JOIN LATERAL ${sql.raw(limitOfKey(`"${schema}"`))} AS o
      ) AS l`
}
