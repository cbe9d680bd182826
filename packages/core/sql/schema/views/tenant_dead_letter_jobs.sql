CREATE VIEW queue.tenant_dead_letter_jobs WITH (security_barrier) AS
  SELECT * FROM queue.dead_letter_jobs WHERE tenant_id = nullif(current_setting('queue.tenant', true), '')
  WITH CASCADED CHECK OPTION;
