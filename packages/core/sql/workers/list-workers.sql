select "w"."id", "w"."hostname", "w"."pid", "w"."version", "w"."zone_version" as "zoneVersion",
    "w"."queues", "w"."kinds", "w"."concurrency", (select count(*)::int as "running"
  from "queue"."jobs" as "j"
  where "j"."locked_by" = "w"."id"
    and "j"."locked_by" is not null) as "running", CASE WHEN w.state = 'active' AND NOT (w.state = 'active' AND
        now() < w.lease_expires_at) THEN 'lost' ELSE w.state END as "state", (round(date_part('epoch',
        "w"."started_at") * 1000000::float8)::bigint / 1000) as "startedMs", (round(date_part('epoch',
        "w"."heartbeat_at") * 1000000::float8)::bigint / 1000) as "heartbeatMs", (round(date_part('epoch',
        "w"."lease_expires_at") * 1000000::float8)::bigint / 1000) as "leaseExpiresMs"
from "queue"."workers" as "w"
order by w.state = 'active' AND now() < w.lease_expires_at desc, "w"."started_at" desc, "w"."id"
