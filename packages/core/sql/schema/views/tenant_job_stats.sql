CREATE VIEW queue.tenant_job_stats WITH (security_barrier) AS
  SELECT * FROM queue.job_stats
   WHERE tenant_id = nullif(current_setting('queue.tenant', true), '');
