CREATE VIEW queue.tenant_job_list WITH (security_barrier) AS
  SELECT * FROM queue.all_jobs WHERE tenant_id >= nullif(current_setting('queue.tenant', true), '')
      AND tenant_id <= nullif(current_setting('queue.tenant', true), '') ORDER BY tenant_id DESC, id DESC;
