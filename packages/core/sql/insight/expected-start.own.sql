SELECT j.status IN ('queued'::"queue"."job_status", 'retrying'::"queue"."job_status") AS waiting
  FROM "queue"."tenant_jobs" AS j WHERE j.id = $1::uuid AND "j"."tenant_id" = $2 AND "j"."queue" = ANY($3::text[])
      AND "j"."kind" = ANY($4::text[])
