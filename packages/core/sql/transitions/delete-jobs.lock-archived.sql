SELECT e.id FROM "queue"."ended_jobs" AS e
 WHERE e.id = ANY(ARRAY(SELECT j.id FROM (
    SELECT a.* FROM (SELECT DISTINCT unnest($1::uuid[]) AS id) AS i
     CROSS JOIN LATERAL (SELECT a.* FROM "queue"."all_jobs" AS a WHERE a.id = i.id OFFSET 0) AS a) AS j
                         WHERE j.status = 'succeeded'::"queue"."job_status" AND true))
 ORDER BY e.id FOR UPDATE
