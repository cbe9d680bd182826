SELECT r.kind, (count(*) FILTER (WHERE r.part = 'newest'))::integer AS "deadLetters",
       (count(*) FILTER (WHERE r.part = 'newest' AND r.at > now() - 900::float8 * interval '1 second'))::integer
           AS recent,
       floor(date_part('epoch', now() - min(r.at) FILTER (WHERE r.part = 'oldest')))::bigint AS "oldestSeconds"
  FROM (
  (SELECT 'newest' AS part, d.kind, d.dead_lettered_at AS at FROM "queue"."dead_letter_jobs" AS d
    ORDER BY d.dead_lettered_at DESC, d.id DESC LIMIT 1000)
        UNION ALL
  (SELECT 'oldest' AS part, d.kind, d.dead_lettered_at AS at FROM "queue"."dead_letter_jobs" AS d
    ORDER BY d.dead_lettered_at, d.id LIMIT 1000)) AS r
 GROUP BY r.kind ORDER BY r.kind
