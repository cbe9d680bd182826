CREATE VIEW queue.all_jobs AS
  SELECT id, lease_token, run_at, created_at, updated_at, locked_at, started_at, finished_at, expires_at,
      stripped_at, status, attempts, max_attempts, timeout_ms, priority, crashes, progress, kind_version,
      cancel_requested, queue, kind, tenant_id, key, counted, weight, locked_by, worker_id, idempotency_key,
      idempotency_fingerprint, unique_key, unique_scope, trace_context, open_results, sensitive, payload,
      metadata, retry_policy, result, progress_message, cancel_reason, last_error FROM queue.jobs
   UNION ALL
  SELECT * FROM queue.archived_jobs;
