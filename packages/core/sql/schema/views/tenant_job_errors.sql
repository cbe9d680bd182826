CREATE VIEW queue.tenant_job_errors WITH (security_barrier) AS
  SELECT * FROM queue.job_errors
   WHERE tenant_id = nullif(current_setting('queue.tenant', true), '');
