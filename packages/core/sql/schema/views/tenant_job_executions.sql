CREATE VIEW queue.tenant_job_executions WITH (security_barrier) AS
  SELECT x.* FROM queue.job_executions AS x
   WHERE EXISTS (SELECT FROM queue.all_jobs AS j WHERE j.id = x.job_id
       AND j.tenant_id = nullif(current_setting('queue.tenant', true), '') OFFSET 0);
