DELETE FROM "queue"."operations" AS o WHERE o.id = ANY(ARRAY(
  SELECT e.id FROM "queue"."operations" AS e
   WHERE e.finished_at < now() - $1::float8 * interval '1 millisecond'
   ORDER BY e.finished_at LIMIT 1000))
RETURNING o.id
