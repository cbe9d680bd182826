SELECT k.id, k.name, k.role, k.permissions, k.tenant_id, k.queues, k.kinds, k.rate::text AS rate,
    k.replaces,
       (round(date_part('epoch', k.created_at) * 1000000::float8)::bigint / 1000) AS created_at,
       (round(date_part('epoch', k.expires_at) * 1000000::float8)::bigint / 1000) AS expires_at,
           (round(date_part('epoch', k.last_used_at) * 1000000::float8)::bigint / 1000) AS last_used_at,
       (round(date_part('epoch', r.revoked_at) * 1000000::float8)::bigint / 1000) AS revoked_at
  FROM "queue"."api_keys" AS k LEFT JOIN "queue"."api_key_revocations" AS r ON r.key_id = k.id ORDER BY k.created_at
      DESC, k.id
