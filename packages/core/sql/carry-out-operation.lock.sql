  SELECT o.id, o.act, o.filter::text AS filter, (date_part('epoch', o.run_at) * 1000) AS run_at,
      o.rate, o.state,
o.expected, o.expected_is_least, o.changed::float8 AS changed, o.skipped::float8 AS skipped,
    o.reason, o.actor,
o.actor_name, (date_part('epoch', o.created_at) * 1000) AS created_at, (date_part('epoch',
    o.finished_at) * 1000) AS finished_at, o.scope::text AS scope, o.actor_type, o.up_to, o.reached,
to_char(o.created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS created,
coalesce(o.rights_end_at <= now(), false) AS rights_ended FROM "queue"."operations" AS o
   WHERE o.state = 'running' AND o.next_batch_at <= now()
   ORDER BY o.next_batch_at LIMIT 1 FOR UPDATE SKIP LOCKED
