// How the number of waiting jobs of a limit is counted. Live statements and `queue.enqueue` share it: pnpm sql:write shows
// what a change does to the schema.

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
