CREATE VIEW queue.tenant_all_jobs WITH (security_barrier) AS
  SELECT * FROM queue.all_jobs WHERE tenant_id = nullif(current_setting('queue.tenant', true), '');
