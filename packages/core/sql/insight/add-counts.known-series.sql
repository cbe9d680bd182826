INSERT INTO "queue"."job_stats_series" AS s (last_used) SELECT (
  SELECT jsonb_object_agg(n.name, n.day) FROM (
    SELECT e.name, max(e.day) AS day, bool_or(e.known) AS known FROM (
      SELECT o.key AS name, o.value::integer AS day, true AS known FROM jsonb_each('{}'::jsonb) AS o
       WHERE o.value::integer >= floor(extract(epoch FROM now()) / 86400::numeric)::integer - 90
      UNION ALL SELECT w.name, floor(extract(epoch FROM now()) / 86400::numeric)::integer,
          false FROM unnest($1::text[]) AS w (name)
    ) AS e GROUP BY e.name ORDER BY known DESC, e.name LIMIT 200
  ) AS n)
ON CONFLICT (id) DO UPDATE SET last_used = (
  SELECT jsonb_object_agg(n.name, n.day) FROM (
    SELECT e.name, max(e.day) AS day, bool_or(e.known) AS known FROM (
      SELECT o.key AS name, o.value::integer AS day, true AS known FROM jsonb_each(s.last_used) AS o
       WHERE o.value::integer >= floor(extract(epoch FROM now()) / 86400::numeric)::integer - 90
      UNION ALL SELECT w.name, floor(extract(epoch FROM now()) / 86400::numeric)::integer,
          false FROM unnest($2::text[]) AS w (name)
    ) AS e GROUP BY e.name ORDER BY known DESC, e.name LIMIT 200
  ) AS n)
RETURNING (SELECT coalesce(json_agg(o.key), '[]') FROM jsonb_each(s.last_used) AS o)::text AS names
