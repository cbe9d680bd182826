SELECT f.id, f.queue, f.kind, coalesce(f.kind_version, 1) AS version, f.status, (round(date_part('epoch',
    "f"."run_at") * 1000000::float8)::bigint / 1000) AS "run_at", (round(date_part('epoch',
    "f"."expires_at") * 1000000::float8)::bigint / 1000) AS "expires_at",
       (round(date_part('epoch', "f"."locked_at") * 1000000::float8)::bigint / 1000) AS "locked_at",
           (round(date_part('epoch', "f"."finished_at") * 1000000::float8)::bigint / 1000) AS "finished_at",
           f.cancel_requested, f.cancel_reason, f.attempts, f.max_attempts,
       NOT pg_is_in_recovery()
       AND current_setting('transaction_read_only') = 'off' AS is_writable, f.is_waiting, f.is_due,
           f.has_attempts, f.is_in_time, f.is_steady,
       f.is_unfit, f.is_registered,
       f.is_open, (round(date_part('epoch', "f"."paused_at") * 1000000::float8)::bigint / 1000) AS "paused_at",
           f.is_held, f.serving, f.of_kind, f.able, f.slots, f.held, f.free, f.calm,
       f.limits::text AS limits, NULL::text AS holders, f.next_id, f.is_in_order,
       NULL::integer AS due,
       (round(date_part('epoch', "f"."heard_at") * 1000000::float8)::bigint / 1000) AS "heard_at",
           f.versions, NULL::text[] AS elsewhere
  FROM "queue"."tenant_claim_facts" AS f
 WHERE f.id = ANY($1::uuid[]) AND "f"."tenant_id" = $2 AND "f"."queue" = ANY($3::text[]) AND "f"."kind" = ANY($4::text[])
