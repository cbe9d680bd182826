CREATE VIEW queue.tenant_lane_events WITH (security_barrier) AS
  SELECT * FROM queue.lane_events WHERE tenant_id = nullif(current_setting('queue.tenant', true), '')
      AND counted IS NULL
  WITH CASCADED CHECK OPTION;
