(WITH RECURSIVE named (name) AS (
  (SELECT f.queue FROM ((SELECT j.queue FROM "queue"."jobs" AS j WHERE j.status IN ('queued'::"queue"."job_status",
      'retrying'::"queue"."job_status") AND "j"."key" IS NULL AND j.queue > '' ORDER BY j.queue LIMIT 1) UNION
      ALL (SELECT j.queue FROM "queue"."jobs" AS j WHERE j.status IN ('queued'::"queue"."job_status",
      'retrying'::"queue"."job_status") AND coalesce("j"."key", '') <> '' AND j.queue > '' ORDER BY j.queue LIMIT
      1)) AS f ORDER BY f.queue LIMIT 1)
  UNION ALL
  SELECT next.queue FROM named AS n CROSS JOIN LATERAL (SELECT f.queue FROM ((SELECT j.queue FROM "queue"."jobs"
      AS j WHERE j.status IN ('queued'::"queue"."job_status", 'retrying'::"queue"."job_status") AND "j"."key" IS
      NULL AND j.queue > n.name ORDER BY j.queue LIMIT 1) UNION ALL (SELECT j.queue FROM "queue"."jobs" AS j WHERE
      j.status IN ('queued'::"queue"."job_status", 'retrying'::"queue"."job_status") AND coalesce("j"."key",
      '') <> '' AND j.queue > n.name ORDER BY j.queue LIMIT 1)) AS f ORDER BY f.queue LIMIT 1) AS next
), states AS MATERIALIZED (
  SELECT n.name, q.paused_at, oldest.due_at,
         EXISTS (SELECT FROM "queue"."workers" AS w WHERE w.state = 'active' AND now() < w.lease_expires_at AND
             n.name = ANY(w.queues)) AS served
    FROM (SELECT name FROM named LIMIT 1000) AS n
    LEFT JOIN "queue"."queues" AS q ON q.name = n.name
   CROSS JOIN LATERAL (SELECT min(first.run_at) AS due_at FROM generate_series(0, 9) AS p (priority) CROSS JOIN
       LATERAL ((
       SELECT j.run_at, j.kind, j.kind_version FROM "queue"."jobs" AS j
        WHERE j.status IN ('queued'::"queue"."job_status", 'retrying'::"queue"."job_status") AND "j"."key" IS NULL
            AND j.queue = n.name AND j.priority = p.priority::smallint AND j.run_at <= now()
        ORDER BY j.run_at, j.id LIMIT 1) UNION ALL (
       SELECT j.run_at, j.kind, j.kind_version FROM "queue"."jobs" AS j
        WHERE j.status IN ('queued'::"queue"."job_status", 'retrying'::"queue"."job_status") AND coalesce("j"."key",
            '') <> '' AND j.queue = n.name AND j.priority = p.priority::smallint AND j.run_at <= now()
        ORDER BY j.run_at, j.id LIMIT 1)) AS first) AS oldest
)
SELECT c.condition, n.name AS queue, NULL::text AS kind, counted.count, (round(date_part('epoch',
    c.since) * 1000000::float8)::bigint / 1000) AS since
  FROM states AS n CROSS JOIN LATERAL (
    SELECT 'queue_paused_for_long' AS condition, n.paused_at AS since
     WHERE n.paused_at < now() - interval '1 hour'
    UNION ALL
    SELECT 'queue_unserved', n.due_at
     WHERE n.paused_at IS NULL AND NOT n.served AND n.due_at < now() - interval '60 seconds'
    UNION ALL
    SELECT 'queue_backlog_old', n.due_at
     WHERE n.paused_at IS NULL AND n.served AND n.due_at < now() - interval '300 seconds'
  ) AS c
 CROSS JOIN LATERAL (
   SELECT count(*)::integer AS count FROM (
     SELECT FROM generate_series(0, 9) AS p (priority) CROSS JOIN LATERAL ((
       SELECT j.run_at, j.kind, j.kind_version FROM "queue"."jobs" AS j
        WHERE j.status IN ('queued'::"queue"."job_status", 'retrying'::"queue"."job_status") AND "j"."key" IS NULL
            AND j.queue = n.name AND j.priority = p.priority::smallint AND j.run_at <= now()
        ORDER BY j.run_at, j.id LIMIT 1001) UNION ALL (
       SELECT j.run_at, j.kind, j.kind_version FROM "queue"."jobs" AS j
        WHERE j.status IN ('queued'::"queue"."job_status", 'retrying'::"queue"."job_status") AND coalesce("j"."key",
            '') <> '' AND j.queue = n.name AND j.priority = p.priority::smallint AND j.run_at <= now()
        ORDER BY j.run_at, j.id LIMIT 1001)) AS one LIMIT 1001) AS due
 ) AS counted
UNION ALL
SELECT 'kind_unserved', n.name, unserved.kind, unserved.count, (round(date_part('epoch', unserved.since) * 1000000::float8)::bigint
    / 1000)
  FROM states AS n CROSS JOIN LATERAL (
    SELECT h.kind, count(*)::integer AS count, min(h.run_at) AS since
      FROM (SELECT one.* FROM generate_series(0, 9) AS p (priority) CROSS JOIN LATERAL ((
       SELECT j.run_at, j.kind, j.kind_version FROM "queue"."jobs" AS j
        WHERE j.status IN ('queued'::"queue"."job_status", 'retrying'::"queue"."job_status") AND "j"."key" IS NULL
            AND j.queue = n.name AND j.priority = p.priority::smallint AND j.run_at <= now()
        ORDER BY j.run_at, j.id LIMIT 1001) UNION ALL (
       SELECT j.run_at, j.kind, j.kind_version FROM "queue"."jobs" AS j
        WHERE j.status IN ('queued'::"queue"."job_status", 'retrying'::"queue"."job_status") AND coalesce("j"."key",
            '') <> '' AND j.queue = n.name AND j.priority = p.priority::smallint AND j.run_at <= now()
        ORDER BY j.run_at, j.id LIMIT 1001)) AS one LIMIT 1001) AS h
     WHERE h.run_at < now() - interval '60 seconds'
       AND NOT EXISTS (
         SELECT FROM "queue"."workers" AS w
          WHERE w.state = 'active' AND now() < w.lease_expires_at AND n.name = ANY(w.queues)
            AND h.kind || coalesce('/' || h.kind_version, '') = ANY(w.kinds))
     GROUP BY h.kind
  ) AS unserved
 WHERE n.paused_at IS NULL AND n.served AND n.due_at < now() - interval '60 seconds') UNION ALL
(SELECT 'dead_letters', NULL, d.kind, count(*)::integer, (round(date_part('epoch', min(d.dead_lettered_at)) * 1000000::float8)::bigint
    / 1000)
   FROM (SELECT d.kind, d.dead_lettered_at FROM "queue"."dead_letter_jobs" AS d
          WHERE d.dead_lettered_at >= now() - interval '15 minutes'
          ORDER BY d.dead_lettered_at DESC, d.id DESC LIMIT 1001) AS d GROUP BY d.kind)
UNION ALL
(SELECT 'dead_letters_kept', NULL, NULL, count(*)::integer, (round(date_part('epoch', min(d.dead_lettered_at))
    * 1000000::float8)::bigint / 1000)
   FROM (SELECT d.dead_lettered_at FROM "queue"."dead_letter_jobs" AS d
          WHERE d.dead_lettered_at < now() - interval '24 hours'
          ORDER BY d.dead_lettered_at, d.id LIMIT 1001) AS d HAVING count(*) > 0)
UNION ALL
(SELECT 'jobs_failing', NULL, s.kind, sum(s.failed + s.retried)::integer, (round(date_part('epoch',
    min(s.at) FILTER (WHERE s.failed + s.retried > 0)) * 1000000::float8)::bigint / 1000)
   FROM "queue"."job_stats" AS s
  WHERE s.period = 'minute' AND s.tenant_id = '' AND s.at >= now() - interval '15 minutes' AND s.kind NOT IN ('',
      '*')
  GROUP BY s.kind HAVING sum(s.failed + s.retried) >= 20::numeric AND sum(s.failed + s.retried) > 0.25 * sum(s.succeeded
      + s.failed + s.retried))
UNION ALL
(SELECT 'workers_lost', NULL, NULL, count(*)::integer, (round(date_part('epoch', min(w.lease_expires_at)) * 1000000::float8)::bigint
    / 1000)
   FROM "queue"."workers" AS w WHERE w.state <> 'stopped' AND NOT (w.state = 'active' AND now() < w.lease_expires_at)
    AND w.lease_expires_at >= now() - interval '15 minutes'
 HAVING count(*) > 0)
UNION ALL
(SELECT 'schedules_late', NULL, NULL, count(*)::integer, (round(date_part('epoch', min(s.due_at)) * 1000000::float8)::bigint
    / 1000)
   FROM (SELECT s.due_at FROM "queue"."schedules" AS s
          WHERE s.paused_at IS NULL AND s.due_at < now() - interval '60 seconds'
          ORDER BY s.due_at LIMIT 1001) AS s HAVING count(*) > 0)
UNION ALL
(SELECT 'schedules_stopped', NULL, NULL, count(*)::integer, (round(date_part('epoch', min(s.paused_at)) * 1000000::float8)::bigint
    / 1000)
   FROM "queue"."schedules" AS s WHERE s.paused_reason IS NOT NULL HAVING count(*) > 0)
