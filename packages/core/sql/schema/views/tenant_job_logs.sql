CREATE VIEW queue.tenant_job_logs WITH (security_barrier) AS
  SELECT l.* FROM queue.job_logs AS l
   WHERE EXISTS (SELECT FROM queue.all_jobs AS j
                  WHERE j.id = l.job_id AND j.tenant_id = nullif(current_setting('queue.tenant', true), '')
                      OFFSET 0);
