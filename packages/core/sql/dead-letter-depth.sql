SELECT newest.kind, count(*)::int AS "deadLetters",
       (count(*) FILTER (WHERE newest.dead_lettered_at > now() - $1::float8 * interval '1 second'))::int
         AS recent
  FROM (SELECT d.kind, d.dead_lettered_at FROM "queue"."dead_letter_jobs" AS d
         ORDER BY d.dead_lettered_at DESC, d.id DESC LIMIT $2::int) AS newest
 GROUP BY newest.kind ORDER BY newest.kind
