import { currentTenant } from '../database/tenant-names.ts'

/**
 * What each requeue has changed of a job, and the dead letter that it has removed, for its undo. `requeued_at` is the
 * `updated_at` that the requeue gave the job: with another one, something has changed the job since.
 *
 * Each index is named by the queries that need it:
 * - requeued_jobs_pkey: requeue-job, requeue-jobs, requeue-dead-letters, restore-requeued-jobs, delete-jobs, prune-jobs
 */
export const requeuedJobs = (schema: string): string[] => [
  `CREATE TABLE ${schema}.requeued_jobs (
  job_id uuid NOT NULL,
  requeued_at timestamptz NOT NULL,
  tenant_id text,
  job jsonb NOT NULL,
  dead_letter jsonb,
  CONSTRAINT requeued_jobs_pkey PRIMARY KEY (job_id)
)`,
]

/** The view of one tenant's requeued jobs. */
export const tenantRequeuedJobs = (schema: string): string[] => [
  `CREATE VIEW ${schema}.tenant_requeued_jobs WITH (security_barrier) AS
  SELECT * FROM ${schema}.requeued_jobs WHERE tenant_id = ${currentTenant}
  WITH CASCADED CHECK OPTION`,
]
