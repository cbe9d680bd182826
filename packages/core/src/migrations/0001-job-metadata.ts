import { currentTenant } from '../database/tenant-names.ts'

/**
 * The index of jobs by their metadata. Each member of a job's metadata is a row, written with the job and removed with
 * it; an index over the column itself would be updated at each transition. A value is the first 200 characters of its
 * text, so that it fits an index entry; searches compare the rest with the job's own column.
 *
 * Jobs without a tenant have an empty tenant id. Their rows, and those of one tenant, are found by the primary key; the
 * other index finds the rows of all tenants.
 */
export const jobMetadata = (schema: string): string[] => [
  `CREATE TABLE ${schema}.job_metadata (
  job_id uuid NOT NULL,
  tenant_id text NOT NULL DEFAULT '',
  name text NOT NULL,
  value text NOT NULL,
  CONSTRAINT job_metadata_pkey PRIMARY KEY (tenant_id, name, value, job_id)
) WITH (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000,
        autovacuum_vacuum_insert_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.05)`,
  `CREATE INDEX job_metadata_tenants_idx ON ${schema}.job_metadata (name, value, job_id) WHERE tenant_id <> ''`,
]

/** The view has the order of the index, like the views of lists of jobs: see 0001-tenants.ts. */
export const tenantMetadataView = (schema: string): string =>
  `CREATE VIEW ${schema}.tenant_job_metadata WITH (security_barrier) AS
  SELECT * FROM ${schema}.job_metadata
   WHERE tenant_id >= ${currentTenant} AND tenant_id <= ${currentTenant}
   ORDER BY tenant_id DESC, name DESC, value DESC, job_id DESC
  WITH CASCADED CHECK OPTION`
