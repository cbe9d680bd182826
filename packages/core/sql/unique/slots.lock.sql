WITH gate AS MATERIALIZED (SELECT set_config('lock_timeout', $1, true))
INSERT INTO "queue"."job_unique_slots" AS s (tenant_id, kind, key, scope, job_id, expires_at)
SELECT i.tenant_id, i.kind, i.key, i.scope, i.job_id, statement_timestamp() + nullif(i.window_ms,
    'NaN') * interval '1 millisecond' FROM gate CROSS JOIN unnest($2::text[], $3::text[],
    $4::text[], $5::text[],
    $6::uuid[], $7::float8[])
    AS i (tenant_id, kind, key, scope, job_id, window_ms)
    ON CONFLICT (tenant_id, kind, key) DO UPDATE SET job_id = EXCLUDED.job_id WHERE false
