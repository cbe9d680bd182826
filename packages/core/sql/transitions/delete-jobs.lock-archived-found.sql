SELECT e.id FROM "queue"."ended_jobs" AS e
 WHERE e.id = ANY(ARRAY(SELECT j.id FROM (
    SELECT a.* FROM (SELECT DISTINCT unnest($1::uuid[]) AS id) AS i
     CROSS JOIN LATERAL (SELECT a.* FROM "queue"."all_jobs" AS a WHERE a.id = i.id OFFSET 0) AS a) AS j
                         WHERE j.status = 'succeeded'::"queue"."job_status" AND "j"."status" IN ('queued'::"queue"."job_status",
                             'retrying'::"queue"."job_status", 'failed_permanent'::"queue"."job_status",
                             'cancelled'::"queue"."job_status", 'succeeded'::"queue"."job_status") AND "j"."created_at"
                             < $2::timestamptz))
 ORDER BY e.id FOR UPDATE
