// What limits let start, by their counters. Frozen text, as the rest of the step.

/** Room without a limit: more than any claim takes, so that what is left of it never looks like none. */
export const unlimited = '1000000000'

/** Whether a claim needs the counter of a limit `l`. */
export const isCounted = '(l.max_running IS NOT NULL OR l.rate_count IS NOT NULL)'

/** How long the rate `l` takes to pay for `cost`: rounded up once, so that no sum of them is less than it has to be. */
const timeFor = (cost: string): string =>
  `ceil(${cost} * (l.rate_per_ms::float8 * 1000) / l.rate_count) * interval '1 microsecond'`

/** Until when the rate `l` of the counter `c` is spent: under another rate, or another clock, it may have been spent for longer. */
const spent = `greatest(at, least(c.spent_until, at + ${timeFor('l.rate_burst')}))`

/** What the rate `l` of the counter `c` has left. */
export const tokensOf = `floor(
                  l.rate_burst - extract(epoch FROM ${spent} - at)::float8 * 1000 * l.rate_count / l.rate_per_ms
                  + 1e-6)::integer`

/** What the rate `l` of the counter `c` has to have before it lets another start. */
const awaited = 'least(c.awaited, l.rate_burst)'

/** When the rate `l` of the counter `c` lets another start. */
export const opensAt = `${spent} - ${timeFor(`(l.rate_burst - ${awaited})`)}`

/** How many jobs a limit `l` with the counter `c` lets start now, if none of them weighs more than one. */
export const roomOf = `CASE WHEN l.paused_at IS NOT NULL THEN 0
                ELSE greatest(0, least(coalesce(l.max_running - c.running, ${unlimited}), coalesce(
                  CASE WHEN ${tokensOf} < ${awaited} THEN 0 ELSE ${tokensOf} END, ${unlimited}))) END`

/** When starts under the limit `l` that cost `cost` more are paid for. */
export const spentUntil = (cost: string): string =>
  `CASE WHEN l.rate_count IS NULL THEN c.spent_until
        ELSE ${spent} + ${timeFor(cost)} END`

/** What `n` starts of one weight each cost of the rate `l`, or those of these weights where there are some. */
export const costOf = (n: string, weights: string): string =>
  `CASE WHEN weights IS NULL THEN ${n} ELSE (SELECT coalesce(sum(least(w.weight, l.rate_burst)), 0) FROM ${weights}) END`

/**
 * The counter `c` of a row. While a transaction elsewhere keeps a snapshot, the index has an entry for each version that the counter
 * has had: this begins with the newest, which is at the end of the table.
 */
export const counterOf = (row: string): string =>
  `c.queue = ${row}.queue AND c.scope = ${row}.scope AND c.name = ${row}.name
            AND c.tenant_id BETWEEN ${row}.tenant_id AND ${row}.tenant_id ORDER BY c.tenant_id DESC LIMIT 1`

/** The counter `c` of the key of a row, found likewise. */
export const counterOfKey = (row: string): string =>
  `c.queue = ${row}.queue AND c.scope = 'key' AND c.name = ${row}.key
            AND c.tenant_id BETWEEN ${row}.tenant_id AND ${row}.tenant_id ORDER BY c.tenant_id DESC LIMIT 1`

/** What holds for the key of a lane `p`: what is said of it by name, and of each key where that says nothing. */
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
