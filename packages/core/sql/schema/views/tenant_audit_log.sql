CREATE VIEW queue.tenant_audit_log WITH (security_barrier) AS
  SELECT * FROM queue.audit_log WHERE tenant_id = nullif(current_setting('queue.tenant', true), '')
  WITH CASCADED CHECK OPTION;
