CREATE VIEW queue.tenant_dead_letter_list WITH (security_barrier) AS
  SELECT * FROM queue.dead_letter_jobs WHERE tenant_id >= nullif(current_setting('queue.tenant', true), '')
      AND tenant_id <= nullif(current_setting('queue.tenant', true), '')
   ORDER BY tenant_id DESC, dead_lettered_at DESC, id DESC;
