select coalesce(json_agg(json_build_array(j.id, j.lease_token)), '[]')::text as "leases", (round(date_part('epoch',
    clock_timestamp() - now()) * 1000000::float8)::bigint / 1000) as "tookMs"
from "queue"."jobs" as "j"
where "j"."locked_by" = $1
  and "j"."locked_by" is not null
  and "j"."status" = 'running'::"queue"."job_status"
  and "j"."locked_at" > to_timestamp(date_part('epoch', now()) - $2::float8 / 1000::float8)
  and "j"."locked_at" <= to_timestamp(date_part('epoch', now()) - $3::float8 / 1000::float8)
