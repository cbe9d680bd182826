SELECT v.version, (SELECT count(*) FROM "queue"."workers" AS w
                    WHERE w.state = 'active' AND w.lease_expires_at >= now() AND v.name = ANY(w.kinds))::int AS
                        workers
  FROM unnest($1::int[], $2::text[]) AS v (version, name)
