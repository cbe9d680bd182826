CREATE VIEW queue.tenant_job_error_days WITH (security_barrier) AS
  SELECT * FROM queue.job_error_days
   WHERE tenant_id = nullif(current_setting('queue.tenant', true), '');
