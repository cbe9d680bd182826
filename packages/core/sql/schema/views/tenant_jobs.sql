CREATE VIEW queue.tenant_jobs WITH (security_barrier) AS
  SELECT * FROM queue.jobs WHERE tenant_id = nullif(current_setting('queue.tenant', true), '')
      AND coalesce(tenant_id, '') = nullif(current_setting('queue.tenant', true), '')
  WITH CASCADED CHECK OPTION;
