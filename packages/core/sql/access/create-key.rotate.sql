WITH locked AS MATERIALIZED (
  SELECT k.* FROM "queue"."api_keys" AS k
   WHERE k.id = $1 AND (k.expires_at IS NULL OR k.expires_at > clock_timestamp())
     AND NOT EXISTS (SELECT FROM "queue"."api_key_revocations" AS r WHERE r.key_id = k.id)
     AND NOT EXISTS (SELECT FROM "queue"."api_keys" AS n WHERE n.replaces = k.id AND n.id <> $2)
   FOR UPDATE
), replaced AS MATERIALIZED (
  SELECT o.*, clock_timestamp() AS at FROM locked AS o
), ended AS (
  UPDATE "queue"."api_keys" AS k
     SET expires_at = least(k.expires_at, o.at + $3::float8 * interval '1 millisecond')
    FROM replaced AS o WHERE k.id = o.id
)
INSERT INTO "queue"."api_keys" AS k (id, digest, name, role, permissions, tenant_id, queues,
    kinds, rate, replaces, created_at,
                     expires_at)
SELECT $4, $5, o.name, o.role, o.permissions, o.tenant_id, o.queues, o.kinds, o.rate, o.id,
    o.at,
       o.at + (o.expires_at - o.created_at) FROM replaced AS o
ON CONFLICT (id) DO UPDATE SET name = k.name WHERE k.digest = excluded.digest
RETURNING k.xmax = 0 AS is_new
