WITH gate AS MATERIALIZED (SELECT), wanted ("id", "queue", "kind", "kind_version", "tenant_id",
    "key", "weight", "payload", "metadata", "priority", "max_attempts", "timeout_ms", "retry_policy",
    "run_at", "expires_at", "idempotency_key", "idempotency_fingerprint", "unique_key", "unique_scope",
    "trace_context") AS MATERIALIZED (
  SELECT "i"."id", $1::text, $2::text, $3::smallint, $4::text, $5::text, $6::integer, "i"."payload"::jsonb,
      $7::text::jsonb, $8::smallint, $9::integer, $10::integer, $11::text::jsonb, greatest(i.at,
      coalesce(to_timestamp($12::float8 / 1000),
         i.at + $13::float8 * interval '1 millisecond')), coalesce(to_timestamp($14::float8 / 1000),
         i.at + $15::float8 * interval '1 millisecond'), $16::text, $17::bytea, $18::text,
             $19::text, $20::text FROM (SELECT unnest($21::uuid[]) AS "id", unnest($22::text[]) AS "payload",
             at, greatest(at, to_timestamp($23::float8 / 1000)) AS created_at FROM clock_timestamp() AS at) AS
             i
), how AS MATERIALIZED (
  SELECT h.* FROM unnest($24::uuid[],
         $25::text[],
         $26::float8[]) AS h (id, content, start_ms_max)
), locked AS MATERIALIZED (
  SELECT j.id FROM gate CROSS JOIN (SELECT h.id FROM how AS h ORDER BY h.id) AS h
   CROSS JOIN LATERAL (
     SELECT j.id FROM "queue"."jobs" AS j WHERE j.id = h.id AND (j.status = 'queued'::"queue"."job_status" AND
         j.unique_scope = 'waiting' AND j.lease_token % 1000000000 = 0)
        FOR NO KEY UPDATE SKIP LOCKED
   ) AS j
), picked AS MATERIALIZED (
  SELECT w.*, h.content, to_timestamp(h.start_ms_max / 1000) AS start_max
    FROM locked JOIN how AS h USING (id) JOIN wanted AS w USING (id) WHERE h.content <> 'hold'
), changed AS MATERIALIZED (
  SELECT c.* FROM picked AS p
   CROSS JOIN LATERAL "queue"."change_waiting"(job => p.id, replaces => p.content = 'replace',
         start_at => p.run_at, start_max => p.start_max, "queue" => p."queue", "kind_version" => p."kind_version",
             "key" => p."key", "weight" => p."weight", "payload" => p."payload", "metadata" => p."metadata",
             "priority" => p."priority", "max_attempts" => p."max_attempts", "timeout_ms" => p."timeout_ms",
             "retry_policy" => p."retry_policy", "expires_at" => p."expires_at", "trace_context" => p."trace_context")
             AS c
)
SELECT locked.id::text AS locked_id, "c"."id"::text AS "id", "c"."queue" AS "queue", "c"."kind" AS "kind",
    "c"."kind_version"::text AS "kind_version", "c"."tenant_id" AS "tenant_id", "c"."key" AS "key",
    "c"."weight"::text AS "weight", "c"."payload"::text AS "payload", "c"."metadata"::text AS "metadata",
    "c"."status" AS "status", "c"."priority"::text AS "priority", "c"."attempts"::text AS "attempts",
    "c"."max_attempts"::text AS "max_attempts", "c"."timeout_ms"::text AS "timeout_ms", "c"."retry_policy"::text
    AS "retry_policy", "c"."crashes"::text AS "crashes", "c"."last_error" AS "last_error",
    "c"."result"::text AS "result", "c"."progress"::text AS "progress", "c"."progress_message" AS "progress_message",
    (date_part('epoch', "c"."run_at") * 1000)::text AS "run_at", (date_part('epoch', "c"."expires_at") * 1000)::text
    AS "expires_at", (date_part('epoch', "c"."locked_at") * 1000)::text AS "locked_at", "c"."locked_by" AS "locked_by",
    "c"."cancel_requested" AS "cancel_requested", "c"."cancel_reason" AS "cancel_reason", "c"."idempotency_key"
    AS "idempotency_key", "c"."unique_key" AS "unique_key", "c"."unique_scope" AS "unique_scope",
    "c"."trace_context" AS "trace_context", (date_part('epoch', "c"."created_at") * 1000)::text AS "created_at",
    (date_part('epoch', "c"."updated_at") * 1000)::text AS "updated_at", (date_part('epoch',
    "c"."stripped_at") * 1000)::text AS "stripped_at", (date_part('epoch', "c"."finished_at") * 1000)::text AS
    "finished_at"
  FROM gate LEFT JOIN locked ON true LEFT JOIN changed AS c ON c.id = locked.id
