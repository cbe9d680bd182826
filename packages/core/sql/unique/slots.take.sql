UPDATE "queue"."job_unique_slots" AS s
   SET scope = i.scope, job_id = i.job_id, taken_at = statement_timestamp(), expires_at = statement_timestamp()
       + nullif(i.window_ms, 'NaN') * interval '1 millisecond'
  FROM unnest($1::text[], $2::text[],
    $3::text[], $4::text[],
    $5::uuid[], $6::float8[])
    AS i (tenant_id, kind, key, scope, job_id, window_ms)
 WHERE s.tenant_id = i.tenant_id AND s.kind = i.kind AND s.key = i.key
