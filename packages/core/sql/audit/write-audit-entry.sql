INSERT INTO "queue"."audit_log"
  (tenant_id, act, actor_type, actor, actor_name, address, request_id, count, target, filter,
      job_ids)
VALUES ($1, $2, $3, $4, $5, $6,
        $7, $8, $9, $10::jsonb,
        $11::uuid[])
