SELECT FROM (
    SELECT a.* FROM (SELECT DISTINCT unnest($1::uuid[]) AS id) AS i
     CROSS JOIN LATERAL (SELECT a.* FROM "queue"."all_jobs" AS a WHERE a.id = i.id OFFSET 0) AS a) AS a
 WHERE a.status = 'succeeded'::"queue"."job_status" AND NOT EXISTS (SELECT FROM "queue"."jobs" AS j WHERE j.id
     = a.id AND j.status = 'succeeded'::"queue"."job_status") LIMIT 1
