CREATE VIEW queue.tenant_job_unique_slots WITH (security_barrier) AS
  SELECT * FROM queue.job_unique_slots WHERE tenant_id = nullif(current_setting('queue.tenant', true), '')
  WITH CASCADED CHECK OPTION;
