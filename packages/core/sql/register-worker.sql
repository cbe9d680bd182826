WITH known_queues AS (
  INSERT INTO "queue"."queues" (name) SELECT unnest($1::text[])
  ON CONFLICT DO NOTHING
)
INSERT INTO "queue"."workers"
  (id, hostname, pid, version, queues, kinds, concurrency, lease_expires_at)
VALUES ($2, $3, $4, $5, $6::text[],
        $7::text[], $8,
        now() + $9::float8 * interval '1 millisecond')
