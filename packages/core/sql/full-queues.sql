SELECT (date_part('epoch', clock_timestamp()) * 1000)::text AS now_ms,
       (SELECT jsonb_agg(f.queue || ' ' || f.tenant_id)::text FROM "queue"."full_queues" AS f) AS full_names
