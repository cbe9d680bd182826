CREATE VIEW queue.tenant_operations WITH (security_barrier) AS
  SELECT * FROM queue.operations WHERE tenant_id = nullif(current_setting('queue.tenant', true), '')
  WITH CASCADED CHECK OPTION;
