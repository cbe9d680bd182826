/**
 * Every ended attempt of every job, as a relation of SQL: those that did not succeed have rows of their own, and the one that
 * did is on the row of its job. `schema` is the quoted identifier.
 */
export function endedAttempts(schema: string): string {
  return `(
    SELECT job_id, lease_token, attempt, worker_id, started_at, finished_at, outcome::text, error, error_class, fingerprint
      FROM ${schema}.job_executions
     UNION ALL
    SELECT id, lease_token, attempts, worker_id, started_at, greatest(finished_at, started_at), 'succeeded', NULL, NULL, NULL
      FROM ${schema}.all_jobs WHERE status = 'succeeded' AND started_at IS NOT NULL)`
}
