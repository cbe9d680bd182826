CREATE VIEW queue.tenant_requeued_jobs WITH (security_barrier) AS
  SELECT * FROM queue.requeued_jobs WHERE tenant_id = nullif(current_setting('queue.tenant', true), '')
  WITH CASCADED CHECK OPTION;
