UPDATE "queue"."schedules" AS s
   SET next_run_at = CASE WHEN i.fault = '' THEN to_timestamp(nullif(i.next_ms, 'NaN') / 1000::float8) ELSE s.next_run_at
       END,
       due_at = CASE WHEN i.fault = '' THEN to_timestamp(nullif(i.due_ms, 'NaN') / 1000::float8) ELSE s.due_at
           END,
       last_run_at = coalesce(to_timestamp(nullif(i.run_ms, 'NaN') / 1000::float8), s.last_run_at),
       last_job_id = coalesce(nullif(i.job_id, '00000000-0000-0000-0000-000000000000'), s.last_job_id),
       fired_count = s.fired_count + i.fired,
       missed_count = s.missed_count + i.missed,
       skipped_count = s.skipped_count + i.skipped,
       paused_at = CASE WHEN i.fault = '' THEN s.paused_at ELSE statement_timestamp() END,
       paused_reason = nullif(i.fault, '')
  FROM unnest($1::text[], $2::float8[], $3::float8[],
              $4::float8[], $5::uuid[],
              $6::int[], $7::int[], $8::int[],
              $9::text[])
         AS i (name, next_ms, due_ms, run_ms, job_id, fired, missed, skipped, fault)
 WHERE s.tenant_id = $10 AND s.name = i.name
