SELECT v.version, (SELECT count(*) FROM "queue"."workers" AS w
                    WHERE w.state = 'active' AND now() < w.lease_expires_at AND v.name = ANY(w.kinds))::int AS
                        workers
  FROM unnest($1::int[], $2::text[]) AS v (version, name)
