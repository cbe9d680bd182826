// Sets, changes or deletes a limit, which then applies to all further claims. An operator's act; no job changes its
// state.
import { type RawBuilder, sql } from 'kysely'
import type { z } from 'zod'
import type { Acted } from '../database/acted.ts'
import type { QueueDatabase } from '../database/connect.ts'
import { updatedSince } from '../database/instant.ts'
import { QueueError } from '../domain/errors.ts'
import { parseOrThrow } from '../domain/job-definition.ts'
import { keepCount } from './count-waiting.ts'
import { getLimit } from './list-limits.ts'
import { decodeLimit, limitColumns, type LimitRow } from './limit-row.ts'
import {
  type Limit,
  limitMembersSchema,
  type LimitOptions,
  type LimitRule,
  limitRuleSchema,
  type LimitScope,
  type LimitTarget,
  limitsSomething,
  limitTargetSchema,
} from './limit-rule.ts'

/**
 * Sets the limit of a target, in place of the previous one. A limit that has these members already stays as it is, so a
 * call whose reply was lost can be repeated. Must run in a transaction. Throws `invalid_limit` and `limit_changed`.
 *
 * Each claim holds a share lock on the rows of its queues. This call takes the conflicting lock first, so it waits for
 * the claims in flight, and no claim sees a half-set limit. Then it marks and counts the jobs that are running already.
 * So the limit applies from the moment at which this returns. More jobs than it allows run only where they did before.
 */
export async function setLimit(
  database: QueueDatabase,
  rule: LimitRule,
  options: LimitOptions = {},
): Promise<Acted<Limit>> {
  const checked = parseOrThrow(limitRuleSchema, rule, 'invalid_limit')
  const { queue, scope, name } = checked
  await addQueue(database, queue)
  await lockQueue(database, queue)
  const current = await getLimit(database, { queue, scope, name })
  if (current !== undefined && isSame(membersOf(current), checked)) return { result: current, changed: false }
  assertAsRead(current, options)
  return { result: await writeLimit(database, checked), changed: true }
}

/** Throws `limit_changed` unless the limit, whose queue is locked, is the version that the caller has read. */
function assertAsRead(current: Limit | undefined, { ifUpdatedAt }: LimitOptions): void {
  if (ifUpdatedAt === undefined || current?.updatedAt.getTime() === ifUpdatedAt?.getTime()) return
  throw new QueueError('limit_changed', 'the limit has changed since it was read: read it again')
}

/** Whether two rules set the same members. */
function isSame(one: LimitMembers, other: LimitMembers): boolean {
  const textOf = ({
    maxRunning,
    maxWaiting,
    rate,
    paused,
    ordered,
    fairBy,
    weight,
  }: LimitMembers): string => {
    const { count, perMs, burst } = rate ?? {}
    const members = [maxRunning, maxWaiting, count, perMs, burst, ordered?.onRetry, fairBy, weight]
    return JSON.stringify([...members.map((member) => member ?? null), paused ?? false])
  }
  return textOf(one) === textOf(other)
}

type LimitMembers = Omit<LimitRule, keyof LimitTarget>

/** Writes a limit whose queue is locked. */
async function writeLimit(
  database: QueueDatabase,
  checked: z.output<typeof limitRuleSchema>,
): Promise<Limit> {
  const { names } = database
  const {
    queue,
    scope,
    name = '',
    maxRunning = null,
    maxWaiting = null,
    rate,
    paused = false,
    ordered,
    fairBy,
    weight,
  } = checked
  const [row] = await database.run(sql<LimitRow>`
    INSERT INTO ${names.limits} AS l (queue, scope, name, max_running, max_waiting, rate_count, rate_per_ms, rate_burst, on_retry, fair_by, weight, paused_at)
    VALUES (${queue}, ${scope}, ${name}, ${maxRunning}::integer, ${maxWaiting}::integer,
            ${rate?.count ?? null}::integer, ${rate?.perMs ?? null}::integer, ${rate?.burst ?? null}::integer,
            ${ordered?.onRetry ?? null}::text, ${fairBy ?? null}::text, ${weight ?? null}::smallint,
            CASE WHEN ${paused}::boolean THEN statement_timestamp() END)
    ON CONFLICT ON CONSTRAINT limits_pkey DO UPDATE
      SET max_running = excluded.max_running, max_waiting = excluded.max_waiting, rate_count = excluded.rate_count, rate_per_ms = excluded.rate_per_ms,
          rate_burst = excluded.rate_burst, on_retry = excluded.on_retry,
          fair_by = excluded.fair_by, weight = excluded.weight, updated_at = ${updatedSince(sql`l.updated_at`, sql`clock_timestamp()`)},
          paused_at = CASE WHEN excluded.paused_at IS NOT NULL THEN coalesce(l.paused_at, excluded.paused_at) END
    RETURNING ${limitColumns('l')}`)
  if (row === undefined) throw new Error('setting a limit returned no row')
  if (scope === 'queue' || scope === 'kind') await addCounter(database, { queue, scope, name })
  if (scope === 'queue' || scope === 'tenant') await keepCount(database, { queue, name, maxWaiting })
  if (maxRunning !== null || ordered) await database.run(countRunning(database, { queue, scope, name }))
  await applyToQueue(database, queue)
  return decodeLimit(row)
}

/**
 * Changes the members of a limit that are given; the others stay as they are once its queue is locked. Sets the limit where
 * there is none, and deletes it where the change leaves nothing of it: what is returned then limits nothing. Must run in a
 * transaction. Throws `invalid_limit`, also for a change to nothing where there is no limit, and `limit_changed`.
 */
export async function changeLimit(
  database: QueueDatabase,
  change: LimitRule,
  options: LimitOptions = {},
): Promise<Acted<Limit>> {
  const { queue, scope, name, ...members } = change
  const target = { queue, scope, ...(name !== undefined && { name }) }
  // An unknown queue has no row to lock.
  await addQueue(database, parseOrThrow(limitTargetSchema, target, 'invalid_limit').queue)
  await lockQueue(database, queue)
  const current = await getLimit(database, target)
  const given = Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined))
  const rule = { ...target, ...(current && membersOf(current)), ...given }
  const checked = parseOrThrow(limitMembersSchema, rule, 'invalid_limit')
  if (current === undefined || limitsSomething(checked)) return setLimit(database, rule, options)
  assertAsRead(current, options)
  await deleteLimit(database, target)
  return { result: { ...current, ...nothing }, changed: true }
}

/** The members of a limit that limits nothing. */
const nothing = {
  maxRunning: null,
  maxWaiting: null,
  rate: null,
  ordered: null,
  fairBy: null,
  weight: null,
  pausedAt: null,
} as const satisfies Partial<Limit>

/** What a limit sets, as a rule names it. */
function membersOf(limit: Limit): LimitMembers {
  const { maxRunning, maxWaiting, rate, ordered, fairBy, weight, pausedAt } = limit
  return { maxRunning, maxWaiting, rate, ordered, fairBy, weight, paused: pausedAt !== null }
}

async function addQueue({ names, run }: QueueDatabase, queue: string): Promise<void> {
  await run(sql`INSERT INTO ${names.queues} (name) VALUES (${queue}) ON CONFLICT DO NOTHING`)
}

/** Deletes a limit. Jobs that it has counted stay counted until they end. Throws `limit_not_found` and `limit_changed`. */
export async function deleteLimit(
  database: QueueDatabase,
  target: LimitTarget,
  options: LimitOptions = {},
): Promise<void> {
  const { names } = database
  const { queue, scope, name = '' } = parseOrThrow(limitTargetSchema, target, 'invalid_limit')
  await lockQueue(database, queue)
  if (options.ifUpdatedAt !== undefined) {
    const current = await getLimit(database, target)
    if (current !== undefined) assertAsRead(current, options)
  }
  const deleted = await database.run(sql`
    DELETE FROM ${names.limits} AS l WHERE l.queue = ${queue} AND l.scope = ${scope} AND l.name = ${name} RETURNING l.queue`)
  if (deleted.length === 0) throw new QueueError('limit_not_found', 'there is no limit for this target')
  if (scope === 'queue' || scope === 'tenant') await keepCount(database, { queue, name, maxWaiting: null })
  await applyToQueue(database, queue)
}

/** Waits for the claims in flight. Later claims wait for this transaction. */
export async function lockQueue({ names, run }: QueueDatabase, queue: string): Promise<void> {
  await run(sql`SELECT FROM ${names.queues} AS q WHERE q.name = ${queue} FOR NO KEY UPDATE`)
}

async function addCounter(
  { names, run }: QueueDatabase,
  { queue, scope, name }: { readonly queue: string; readonly scope: LimitScope; readonly name: string },
): Promise<void> {
  await run(sql`
    INSERT INTO ${names.limitCounters} (queue, scope, name) VALUES (${queue}, ${scope}, ${name}) ON CONFLICT DO NOTHING`)
}

/** The bit in `jobs.counted` for each scope of a limit. */
const markOf = { queue: 1, kind: 2, key: 4, each_key: 4, tenant: 0 } as const

/**
 * Marks the running jobs that the limit has not counted yet, and counts them. Rows are locked in the order of their
 * ids, as in every statement.
 */
function countRunning(
  { names }: QueueDatabase,
  { queue, scope, name }: { readonly queue: string; readonly scope: LimitScope; readonly name: string },
): RawBuilder<unknown> {
  const mark = sql.lit(markOf[scope])
  const matchesScope = {
    queue: sql``,
    kind: sql` AND j.kind = ${name}`,
    key: sql` AND j.key = ${name}`,
    each_key: sql` AND j.key IS NOT NULL`,
    tenant: sql` AND false`,
  }[scope]
  const ofKeys = scope === 'key' || scope === 'each_key'
  const counter = ofKeys
    ? sql`'key', m.key, coalesce(m.tenant_id, '')`
    : sql`${sql.lit(scope)}, ${name}::text, ''`
  const isUncounted = sql`j.locked_by IS NOT NULL AND j.queue = ${queue}${matchesScope} AND coalesce(j.counted, 0) & ${mark} = 0`
  return sql`
    WITH held AS MATERIALIZED (
      SELECT j.id FROM (
        SELECT j.id FROM ${names.jobs} AS j WHERE ${isUncounted} ORDER BY j.id
      ) AS r CROSS JOIN LATERAL (
        SELECT j.id FROM ${names.jobs} AS j WHERE j.id = r.id AND ${isUncounted} FOR UPDATE
      ) AS j
    ), marked AS (
      UPDATE ${names.jobs} AS j SET counted = coalesce(j.counted, 0) | ${mark}
       WHERE j.id = ANY(ARRAY(SELECT held.id FROM held))
      RETURNING j.key, j.tenant_id
    )
    INSERT INTO ${names.limitCounters} AS c (queue, scope, name, tenant_id, running)
    SELECT ${queue}, n.* FROM (
      SELECT t.scope, t.name, t.tenant_id, count(*)
        FROM marked AS m CROSS JOIN LATERAL (SELECT ${counter}) AS t (scope, name, tenant_id)
       GROUP BY t.scope, t.name, t.tenant_id) AS n
     ORDER BY n.name, n.tenant_id
    ON CONFLICT ON CONSTRAINT limit_counters_pkey DO UPDATE SET running = c.running + excluded.running`
}

/**
 * Updates what depends on the limits of a queue: whether its row counts as limited, the lanes that were full and must
 * be checked again, and the turns, which start again for all that have lanes.
 */
async function applyToQueue({ names, run }: QueueDatabase, queue: string): Promise<void> {
  await run(sql`
    UPDATE ${names.queues} SET limited = EXISTS (
      SELECT FROM ${names.limits} AS l WHERE l.queue = ${queue} AND l.scope IN ('queue', 'kind')
         AND num_nonnulls(l.max_running, l.rate_count, l.paused_at, l.fair_by) > 0)
     WHERE name = ${queue}`)
  await run(sql`
    UPDATE ${names.lanes} AS l SET is_full = false, turn_at = clock_timestamp() WHERE l.queue = ${queue} AND l.is_full`)
  await run(sql`
    UPDATE ${names.lanes} AS l SET share = s.share
      FROM ${names.lanes} AS o
      LEFT JOIN ${names.limits} AS r ON r.queue = o.queue AND r.scope = 'queue' AND r.name = ''
     CROSS JOIN LATERAL (SELECT CASE r.fair_by WHEN 'tenant' THEN o.tenant_id
                                              WHEN 'key' THEN o.key || chr(9) || o.tenant_id END AS share) AS s
     WHERE o.queue = ${queue} AND l.queue = o.queue AND l.key = o.key AND l.tenant_id = o.tenant_id AND l.kind = o.kind
       AND l.priority = o.priority AND l.share IS DISTINCT FROM s.share`)
  await run(sql`DELETE FROM ${names.laneTurns} AS t WHERE t.queue = ${queue}`)
  await run(sql`
    INSERT INTO ${names.laneTurns} (queue, priority, share, turn)
    SELECT DISTINCT l.queue, l.priority, l.share, 0 FROM ${names.lanes} AS l WHERE l.queue = ${queue} AND l.share IS NOT NULL
    UNION ALL
    SELECT r.queue, p.priority, chr(9), 0 FROM ${names.limits} AS r CROSS JOIN generate_series(0, 9) AS p (priority)
     WHERE r.queue = ${queue} AND r.scope = 'queue' AND r.fair_by = 'tenant'`)
}
