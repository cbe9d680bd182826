// How many jobs limits let start, by their counters. The routines and views of the schema and live statements share these
// fragments: pnpm sql:write shows what a change does to the schema.
// Fragments name the limit `l`, its counter `c` and the instant `at`. A rate is a token bucket: `spent_until` is when
// it will be full again, so tokens are computed from one instant.

/** Stands for no limit: more than any claim takes, so that what remains of it never looks like a limit. */
export const unlimited = '1000000000'

/** Whether the limit `l` needs a counter. */
export const usesCounter = '(l.max_running IS NOT NULL OR l.rate_count IS NOT NULL)'

/** How long the rate `l` needs to refill `cost` tokens. Rounded up once, so that no sum of them is too short. */
const timeToPay = (cost: string): string =>
  `ceil((${cost})::float8 * (l.rate_per_ms::float8 * 1000::float8) / l.rate_count::float8) * interval '1 microsecond'`

/**
 * When the bucket of the rate `l` is full again, at most one whole bucket from `at`: under another rate or clock the
 * stored instant may be later.
 */
const spent = `greatest(at, least(c.spent_until, at + ${timeToPay('l.rate_burst')}))`

/** How many tokens the bucket has. */
export const tokensOf = `floor(
                  l.rate_burst::float8
                  - extract(epoch FROM ${spent} - at)::float8 * 1000::float8 * l.rate_count::float8 / l.rate_per_ms::float8
                  + 1e-6::float8)::integer`

/** How many tokens the bucket needs before the next job may start. */
const awaited = 'least(c.awaited, l.rate_burst)'

/** When the bucket has enough tokens for the next job to start. */
export const opensAt = `${spent} - ${timeToPay(`(l.rate_burst - ${awaited})`)}`

/** How many jobs the limit lets start now, if none of them weighs more than one. */
export const roomOf = `CASE WHEN l.paused_at IS NOT NULL THEN 0
                ELSE greatest(0, least(coalesce(l.max_running - c.running, ${unlimited}), coalesce(
                  CASE WHEN ${tokensOf} < ${awaited} THEN 0 ELSE ${tokensOf} END, ${unlimited}))) END`

/** The new `spent_until` after starts that cost `cost` more tokens. */
export const spentUntil = (cost: string): string =>
  `CASE WHEN l.rate_count IS NULL THEN c.spent_until
        ELSE ${spent} + ${timeToPay(cost)} END`

/** How many tokens `n` starts cost: one each, or the sum of `weights` where jobs have weights. */
export const costOf = (n: string, weights: string): string =>
  `CASE WHEN weights IS NULL THEN ${n} ELSE (SELECT coalesce(sum(least(w.weight, l.rate_burst)), 0) FROM ${weights}) END`

/**
 * Finds the counter `c` of a row. While a transaction elsewhere keeps a snapshot, the index has an entry for each
 * version of the counter; the scan begins with the newest, which is at the end of the table.
 */
export const counterOf = (row: string): string =>
  `c.queue = ${row}.queue AND c.scope = ${row}.scope AND c.name = ${row}.name
            AND c.tenant_id BETWEEN ${row}.tenant_id AND ${row}.tenant_id ORDER BY c.tenant_id DESC LIMIT 1`

/** Finds the counter `c` of the key of a row, likewise. */
export const counterOfKey = (row: string): string =>
  `c.queue = ${row}.queue AND c.scope = 'key' AND c.name = ${row}.key
            AND c.tenant_id BETWEEN ${row}.tenant_id AND ${row}.tenant_id ORDER BY c.tenant_id DESC LIMIT 1`

/** The limits of the key of the lane `p`: those set for that key and, where it has none, those set for each key. */
export function ruleOfKey(schema: string): string {
  const rate = (column: string) =>
    `CASE WHEN own.rate_count IS NULL THEN every.${column} ELSE own.${column} END AS ${column}`
  return `(
              SELECT CASE WHEN every.on_retry IS NULL THEN coalesce(own.max_running, every.max_running) ELSE 1 END AS max_running,
                     coalesce(own.paused_at, every.paused_at) AS paused_at,
                     ${rate('rate_count')}, ${rate('rate_per_ms')}, ${rate('rate_burst')}
                FROM (SELECT) AS one
                LEFT JOIN ${schema}.limits AS own ON own.queue = p.queue AND own.scope = 'key' AND own.name = p.key
                LEFT JOIN ${schema}.limits AS every ON every.queue = p.queue AND every.scope = 'each_key' AND every.name = '')`
}

/**
 * The limits of the key of a row `p`, and when its rate lets a job start again. `p` is a subquery with the columns
 * `queue`, `key` and `tenant_id`. It counts no jobs.
 */
export const limitOfKey = (schema: string): string => `(
  SELECT l.max_running, l.paused_at, CASE WHEN l.rate_count IS NOT NULL AND ${opensAt} > at THEN ${opensAt} END AS rate_opens_at,
         EXISTS (SELECT FROM ${schema}.limits AS o WHERE o.queue = p.queue AND o.scope = 'key' AND o.name = p.key) AS has_limit,
         EXISTS (SELECT FROM ${schema}.limits AS o
                  WHERE o.queue = p.queue AND o.scope = 'each_key' AND o.name = '' AND o.on_retry IS NOT NULL) AS is_ordered
    FROM (SELECT now() AS at) AS moment CROSS JOIN ${ruleOfKey(schema)} AS l
   CROSS JOIN (
     SELECT coalesce(k.spent_until, '-infinity') AS spent_until, coalesce(k.awaited, 1) AS awaited
       FROM (SELECT) AS one LEFT JOIN ${schema}.limit_counters AS k
         ON k.queue = p.queue AND k.scope = 'key' AND k.name = p.key AND k.tenant_id = p.tenant_id
   ) AS c)`
