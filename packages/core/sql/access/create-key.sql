INSERT INTO "queue"."api_keys" AS k (id, digest, name, role, permissions, tenant_id, queues,
    kinds, rate, expires_at)
VALUES ($1, $2, $3, $4, $5::text[],
        $6::text, $7::text[], $8::text[], $9::jsonb,
        now() + $10::float8 * interval '1 millisecond')
ON CONFLICT (id) DO UPDATE SET name = k.name WHERE k.digest = excluded.digest
RETURNING k.xmax = 0 AS is_new
