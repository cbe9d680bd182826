WITH seen AS MATERIALIZED (
  SELECT m.id FROM "outbox"."outbox_messages" AS m
   WHERE m.id > $1::uuid
     AND m.id < (lpad(to_hex(greatest(0, (extract(epoch FROM now() - $2::float8 * interval '1 millisecond') * 1000::numeric)::bigint)),
         12, '0')
                 || '70008000000000000000')::uuid
   ORDER BY m.id LIMIT 1000
), doomed AS MATERIALIZED (
  SELECT m.id FROM seen
   CROSS JOIN LATERAL (
     SELECT m.id FROM "outbox"."outbox_messages" AS m WHERE m.id = seen.id AND m.delivered_at < now() - $3::float8
         * interval '1 millisecond'
        FOR UPDATE SKIP LOCKED
   ) AS m
), gone AS (
  DELETE FROM "outbox"."outbox_messages" AS m WHERE m.id = ANY(ARRAY(SELECT doomed.id FROM doomed)) RETURNING m.id
)
SELECT (SELECT count(*) FROM gone)::int AS pruned, (SELECT count(*) FROM seen)::int AS seen,
       (SELECT id FROM seen ORDER BY id DESC LIMIT 1) AS cursor
