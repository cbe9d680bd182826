WITH open_queues AS MATERIALIZED (
  SELECT q.name FROM "queue"."queues" AS q
   WHERE q.name = ANY($1::text[]) AND q.paused_at IS NULL AND NOT q.limited
   ORDER BY q.name FOR SHARE
), start AS MATERIALIZED (
  SELECT l.at, l.at >= l.deadline AS is_too_late, l.lease_expires_at IS NOT NULL AS is_active,
         CASE WHEN l.at < l.deadline AND l.at < l.lease_expires_at THEN l.queues ELSE '{}' END AS queues
    FROM (SELECT clock_timestamp() AS at, coalesce(array_agg(name), '{}') AS queues,
                 (SELECT w.lease_expires_at FROM "queue"."workers" AS w
                   WHERE w.id = $2 AND w.state = 'active') AS lease_expires_at,
                 least(now(), to_timestamp($3::float8 / 1000::float8))
                 + $4::float8 * interval '1 millisecond' AS deadline
            FROM open_queues) AS l
), claimed AS (
  UPDATE "queue"."jobs" AS j
     SET status = 'running'::"queue"."job_status", attempts = j.attempts + 1, lease_token = j.lease_token + 1,
         locked_at = (SELECT at FROM start), locked_by = $5, updated_at = greatest((SELECT at FROM start),
             date_trunc('milliseconds', j.updated_at) + interval '1 millisecond'),
         progress = NULL, progress_message = NULL
   WHERE j.id = ANY(ARRAY(SELECT f.id FROM (
           SELECT due.id, due.priority, slot.n, slot.share
             FROM (
               SELECT slot.queue, slot.n, ($6::int[])[slot.n] AS share
                 FROM unnest($7::text[]) WITH ORDINALITY AS slot (queue, n)
             ) AS slot
            CROSS JOIN LATERAL (
              SELECT c.id, c.priority
                FROM "queue"."jobs" AS c
               WHERE c.queue = slot.queue AND c.priority = ($8::smallint[])[slot.n]
                 AND c.status IN ('queued'::"queue"."job_status", 'retrying'::"queue"."job_status") AND c.key IS
                     NULL
                 AND c.run_at >= to_timestamp(($9::float8[])[slot.n] / 1000::float8) AND c.run_at <= now()
                 AND c.kind = ANY($10::text[]) AND c.kind_version IS NULL AND c.attempts < c.max_attempts AND (c.expires_at
                     IS NULL OR c.status = 'retrying'::"queue"."job_status" OR c.expires_at > (SELECT at FROM start))
               ORDER BY c.run_at, c.id
               LIMIT slot.share
                 FOR UPDATE SKIP LOCKED
            ) AS due
            WHERE slot.queue = ANY((SELECT queues FROM start)::text[])
            LIMIT $11::int) AS f))
  RETURNING CASE WHEN pg_column_size("j".payload) <= $12::int / 256 OR pg_column_size("j".payload) <= $13::int
      AND pg_column_compression("j".payload) IS NULL THEN "j".payload::text WHEN pg_column_size("j".payload) <=
      $14::int / 16 THEN (SELECT CASE WHEN octet_length(p.text) <= $15::int THEN p.text END FROM (SELECT "j".payload::text
      AS text OFFSET 0) AS p) END AS payload,
"j"."id", "j"."lease_token", "j"."queue", "j"."kind", "j"."kind_version", "j"."tenant_id",
    "j"."priority", "j"."attempts", "j"."max_attempts", "j"."timeout_ms", "j"."crashes", "j"."cancel_requested",
    "j"."trace_context",
array_to_json("j".sensitive)::text AS sensitive, "j".retry_policy::text AS retry_policy, "j".metadata::text AS
    metadata, round(date_part('epoch', "j".run_at) * 1000000::float8)::bigint AS run_at_us,
(round(date_part('epoch', "j".expires_at) * 1000000::float8)::bigint / 1000) AS expires_at,
    (round(date_part('epoch', "j".created_at) * 1000000::float8)::bigint / 1000) AS created_at,
    "j".ctid AS ctid, ("j".idempotency_key IS NOT NULL OR "j".unique_key IS NOT NULL
          OR pg_column_size("j".payload) > 512) AS stays
)
SELECT claimed.* FROM claimed
UNION ALL
SELECT json_build_object('now_ms', (round(date_part('epoch', now()) * 1000000::float8)::bigint / 1000),
    'taken_us', round(date_part('epoch', start.at) * 1000000::float8)::bigint,
                         'is_active', start.is_active, 'is_too_late', start.is_too_late,
                         'open_queues', start.queues)::text, NULL, NULL, NULL, NULL, NULL,
                             NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
                             NULL, NULL, NULL, NULL, NULL
  FROM start
