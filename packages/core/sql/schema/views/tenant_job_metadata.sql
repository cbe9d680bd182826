CREATE VIEW queue.tenant_job_metadata WITH (security_barrier) AS
  SELECT * FROM queue.job_metadata
   WHERE tenant_id >= nullif(current_setting('queue.tenant', true), '')
       AND tenant_id <= nullif(current_setting('queue.tenant', true), '')
   ORDER BY tenant_id DESC, name DESC, value DESC, job_id DESC
  WITH CASCADED CHECK OPTION;
