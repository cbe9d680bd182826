CREATE VIEW queue.archived_jobs AS
  SELECT id, lease_token, run_at, created_at, updated_at, NULL::timestamptz AS locked_at, started_at,
      finished_at, expires_at, NULL::timestamptz AS stripped_at, 'succeeded'::queue.job_status AS status,
      attempts, max_attempts, timeout_ms, priority, crashes, progress, kind_version, cancel_requested, queue,
      kind, tenant_id, key, NULL::smallint AS counted, weight, NULL::text AS locked_by, worker_id,
      NULL::queue.short_key AS idempotency_key, NULL::bytea AS idempotency_fingerprint, NULL::text AS
      unique_key, NULL::text AS unique_scope, trace_context, open_results, sensitive, payload, metadata,
      retry_policy, result, progress_message, NULL::text AS cancel_reason, last_error FROM queue.ended_jobs;
