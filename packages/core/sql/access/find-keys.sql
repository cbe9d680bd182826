SELECT k.id, k.name, encode(k.digest, 'hex') AS digest, k.role, k.permissions, k.tenant_id,
    k.queues, k.kinds, k.rate::text AS rate,
       r.key_id IS NOT NULL AS revoked,
       (round(date_part('epoch', k.expires_at) * 1000000::float8)::bigint / 1000) - (round(date_part('epoch',
           now()) * 1000000::float8)::bigint / 1000) AS expires_in_ms,
       coalesce(k.last_used_at >= date_trunc('hour', now()), false) AS use_noted
  FROM "queue"."api_keys" AS k LEFT JOIN "queue"."api_key_revocations" AS r ON r.key_id = k.id WHERE k.id = ANY($1::text[])
