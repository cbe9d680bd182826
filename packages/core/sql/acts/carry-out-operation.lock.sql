  WITH callers AS MATERIALIZED (
    SELECT r.tenant_id, coalesce(r.actor_type, '') AS actor_type, coalesce(r.actor, '') AS actor,
           max(r.last_batch_at) AS last_at
      FROM "queue"."operations" AS r
     WHERE r.state = 'running' OR r.finished_at > now() - 60::float8 * interval '1 second'
     GROUP BY 1, 2, 3
  ), turns AS MATERIALIZED (
    SELECT c.tenant_id, c.actor_type, c.actor, c.last_at, max(c.last_at) OVER (PARTITION BY c.tenant_id) AS tenant_last_at
      FROM callers AS c
  )
  SELECT o.id, o.act, o.filter::text AS filter, (round(date_part('epoch', o.run_at) * 1000000::float8)::bigint
      / 1000) AS run_at, o.rate, o.state,
o.expected, o.expected_is_least, o.changed, o.skipped, o.reason, o.actor,
o.actor_name, (round(date_part('epoch', o.created_at) * 1000000::float8)::bigint / 1000) AS created_at,
    (round(date_part('epoch', o.finished_at) * 1000000::float8)::bigint / 1000) AS finished_at,
    o.scope::text AS scope, o.actor_type, o.up_to, o.reached,
to_char(o.created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS created,
coalesce(o.rights_end_at <= now(), false) AS rights_ended FROM "queue"."operations" AS o JOIN turns AS t
      ON t.tenant_id = o.tenant_id AND t.actor_type = coalesce(o.actor_type, '') AND t.actor = coalesce(o.actor,
          '')
   WHERE o.state = 'running' AND o.next_batch_at <= now()
   ORDER BY t.tenant_last_at NULLS FIRST, t.last_at NULLS FIRST, o.next_batch_at LIMIT 1 FOR UPDATE OF o SKIP LOCKED
