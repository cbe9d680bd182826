SELECT (round(date_part('epoch', clock_timestamp()) * 1000000::float8)::bigint / 1000)::text AS now_ms,
       (SELECT jsonb_agg(w.queue || ' ' || w.tenant_id)::text
          FROM "queue"."waiting_counts" AS w JOIN "queue"."limits" AS l ON l.queue = w.queue AND l.scope = CASE
              w.tenant_id WHEN '' THEN 'queue' ELSE 'tenant' END AND l.name = w.tenant_id
              AND l.max_waiting IS NOT NULL
         WHERE w.waiting >= l.max_waiting) AS full_names,
       EXISTS (SELECT FROM "queue"."waiting_counts" AS w
                WHERE w.counted_at < clock_timestamp() - 2000::float8 * interval '1 millisecond') AS is_stale
