SELECT k.role, k.permissions, k.tenant_id, k.queues, k.kinds, k.revoked, k.expires_in_ms
  FROM "queue"."operation_key"($1::uuid) AS k
