/**
 * How many jobs wait in queues with a limit on that. Frozen text, like the rest of this migration.
 *
 * Each index is named by the queries that need it:
 * - waiting_counts_pkey: count-waiting, full-queues, queue.enqueue
 */
export const waitingCounts = (schema: string): string[] => [
  `CREATE TABLE ${schema}.waiting_counts (
  queue text NOT NULL,
  tenant_id text COLLATE "C" NOT NULL DEFAULT '',
  waiting ${schema}.count_integer NOT NULL,
  counted_at timestamptz NOT NULL,
  CONSTRAINT waiting_counts_pkey PRIMARY KEY (queue, tenant_id)
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000)`,
]

export const waitingCountTables = ['waiting_counts']

/** Whether the count `w` belongs to the limit `l`: all jobs of the queue, or those of one tenant. */
export const isCountOf = `l.queue = w.queue AND l.scope = CASE w.tenant_id WHEN '' THEN 'queue' ELSE 'tenant' END AND l.name = w.tenant_id
                  AND l.max_waiting IS NOT NULL`

/**
 * How many jobs of the count `w` wait, counting no further than `max`. Each order is that of the intended index, so
 * that the planner chooses no other.
 */
export function waitingUpTo(schema: string, max: string): string {
  const select = (condition: string, order: string) =>
    `(SELECT FROM ${schema}.jobs AS j WHERE ${condition} AND j.queue = w.queue AND j.status IN ('queued', 'retrying')
                                   ORDER BY ${order} LIMIT ${max})`
  return `CASE w.tenant_id WHEN '' THEN (
                                 SELECT count(*) FROM (
                                   ${select('j.key IS NULL', 'j.priority, j.run_at, j.id')}
                                   UNION ALL
                                   ${select(`coalesce(j.key, '') <> ''`, 'j.priority, j.run_at, j.id')}
                                   LIMIT ${max}) AS j)
                               ELSE (
                                 SELECT count(*) FROM (
                                   ${select('j.tenant_id = w.tenant_id', `coalesce(j.key, ''), j.priority, j.run_at, j.id`)}) AS j) END::integer`
}
