SELECT coalesce(json_agg(json_build_array(j.id, j.lease_token)), '[]')::text AS leases,
       (date_part('epoch', clock_timestamp() - now()) * 1000) AS took_ms
  FROM "queue"."jobs" AS j
 WHERE j.locked_by = $1 AND j.locked_by IS NOT NULL AND j.status = 'running'::"queue"."job_status"
   AND j.locked_at > to_timestamp(date_part('epoch', now()) - $2::float8 / 1000) AND j.locked_at <= to_timestamp(date_part('epoch',
       now()) - $3::float8 / 1000)
