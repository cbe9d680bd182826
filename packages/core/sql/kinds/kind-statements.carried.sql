SELECT EXISTS (SELECT FROM "queue"."jobs"
                WHERE status IN ('queued'::"queue"."job_status", 'retrying'::"queue"."job_status") AND kind = $1
                    AND kind_version IS NOT DISTINCT FROM $2::smallint)
    OR EXISTS (SELECT FROM "queue"."jobs" WHERE locked_by IS NOT NULL AND kind = $3 AND kind_version IS NOT DISTINCT
        FROM $4::smallint)
    OR EXISTS (SELECT FROM "queue"."dead_letter_jobs" WHERE kind = $5 AND kind_version IS NOT DISTINCT FROM $6::smallint)
        AS carried
