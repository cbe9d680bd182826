WITH target AS MATERIALIZED (
  SELECT j.id, j.tenant_id, j.kind, j.unique_key, j.unique_scope, j.run_at, j.status, j.lease_token FROM "queue"."jobs"
      AS j
   WHERE j.id = ANY($1::uuid[]) AND j.status = 'cancelled'::"queue"."job_status" AND j.cancel_reason IS NULL AND
       j.stripped_at IS NULL
AND j.attempts < j.max_attempts AND NOT EXISTS (
  SELECT FROM "queue"."job_executions" AS x
   WHERE x.job_id = j.id AND x.lease_token = j.lease_token AND x.outcome = 'cancelled' AND x.finished_at >= j.finished_at)
AND (j.id, date_trunc('milliseconds', j.updated_at)) IN (SELECT g.id, to_timestamp(g.changed_at_ms / 1000::float8)
    FROM unnest($2::uuid[], $3::text[],
                $4::float8[]) AS g (id, status, changed_at_ms))
   ORDER BY j.id FOR UPDATE
)
SELECT t.id, t.tenant_id, t.kind, t.unique_scope,
       CASE WHEN t.unique_scope = 'live' OR t.unique_scope = 'waiting' AND "t"."lease_token" % 1000000000::bigint
           = 0 THEN t.unique_key END AS held_key
  FROM target AS t
