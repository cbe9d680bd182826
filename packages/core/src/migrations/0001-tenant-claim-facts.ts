import { currentTenant } from '../database/tenant-names.ts'
import { limitFacts } from '../database/limit-facts.ts'

/**
 * The facts on which a claim depends, for each job of one tenant: the columns that `readClaimFacts` selects from the
 * tables. Of workers it shows how many there are and which versions of the job's kind they run; of the jobs of other
 * tenants only how many slots they take.
 */
export const tenantClaimFacts = (
  schema: string,
): string => `CREATE VIEW ${schema}.tenant_claim_facts WITH (security_barrier) AS
  SELECT c.id, c.tenant_id, c.queue, c.kind, c.kind_version, c.status, c.run_at, c.expires_at, c.locked_at, c.finished_at,
         c.cancel_requested, c.cancel_reason, c.attempts, c.max_attempts,
         c.status IN ('queued', 'retrying') AS is_waiting, c.run_at <= now() AS is_due, c.attempts < c.max_attempts AS has_attempts,
         (c.expires_at IS NULL OR c.status = 'retrying' OR c.expires_at > now()) AS is_in_time, c.crashes = 0 AS is_steady,
         coalesce((SELECT x.outcome = 'snoozed' AND x.error IS NOT NULL FROM ${schema}.job_executions AS x WHERE x.job_id = c.id
                    ORDER BY x.lease_token DESC LIMIT 1), false) AS is_unfit,
         q.name IS NOT NULL AS is_registered, q.name IS NOT NULL AND q.paused_at IS NULL AS is_open, q.paused_at,
         EXISTS (SELECT FROM ${schema}.workers AS w WHERE w.id = c.locked_by AND ${isLive}) AS is_held,
         s.serving, s.of_kind, s.able, s.slots, s.heard_at, h.held, h.free, h.calm, f.limits, f.next_id, f.is_in_order,
         ARRAY(SELECT DISTINCT k.name FROM ${schema}.workers AS w CROSS JOIN LATERAL unnest(w.kinds) AS k (name)
                WHERE c.queue = ANY(w.queues) AND ${isLive} AND split_part(k.name, '/', 1) = c.kind
                ORDER BY k.name LIMIT 10) AS versions
    FROM ${schema}.all_jobs AS c LEFT JOIN ${schema}.queues AS q ON q.name = c.queue
   CROSS JOIN LATERAL (
     SELECT count(*) FILTER (WHERE ${isLive})::integer AS serving,
            count(*) FILTER (WHERE ${isLive} AND EXISTS (
              SELECT FROM unnest(w.kinds) AS k (name) WHERE split_part(k.name, '/', 1) = c.kind))::integer AS of_kind,
            count(*) FILTER (WHERE ${isLive} AND ${isAble})::integer AS able,
            coalesce(sum(w.concurrency) FILTER (WHERE ${isLive} AND ${isAble}), 0)::integer AS slots,
            max(w.heartbeat_at) AS heard_at
       FROM ${schema}.workers AS w WHERE c.queue = ANY(w.queues)
   ) AS s
   CROSS JOIN LATERAL (
     SELECT coalesce(sum(b.held), 0)::integer AS held,
            CASE WHEN coalesce(sum(b.seen), 0) <= 5000 THEN count(*) FILTER (WHERE b.held < b.concurrency)::integer END AS free,
            CASE WHEN coalesce(sum(b.seen), 0) <= 5000 THEN count(*) FILTER (WHERE b.crashed = 0)::integer END AS calm
       FROM (
         SELECT r.concurrency, count(*) AS seen, count(r.crashes) AS held, count(*) FILTER (WHERE r.crashes > 0) AS crashed
           FROM (
             SELECT w.id, w.concurrency, j.crashes
               FROM ${schema}.workers AS w LEFT JOIN LATERAL (
                 SELECT j.crashes FROM ${schema}.jobs AS j WHERE j.locked_by IS NOT NULL AND j.locked_by = w.id LIMIT 5001
               ) AS j ON true
              WHERE c.status IN ('queued', 'retrying') AND c.queue = ANY(w.queues) AND ${isLive} AND ${isAble}
              LIMIT 5001) AS r
          GROUP BY r.id, r.concurrency) AS b
   ) AS h${limitFacts(schema)}
   WHERE c.tenant_id = ${currentTenant}`

const isLive = `w.state = 'active' AND now() < w.lease_expires_at`
const isAble = `(c.kind_version IS NULL AND c.kind = ANY(w.kinds)
               OR c.kind_version IS NOT NULL AND c.kind || '/' || c.kind_version = ANY(w.kinds))`
