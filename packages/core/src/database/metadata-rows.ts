// The rows by which jobs are found by metadata, as parts of the statements that write and remove jobs.
import { type RawBuilder, sql } from 'kysely'
import { metadataSearchedLengthMax } from '../domain/limits.ts'
import type { SchemaNames } from './schema-names.ts'

/** The part of a value's text that is compared. */
export function searchedValue(text: RawBuilder<unknown>): RawBuilder<string> {
  return sql<string>`left(${text}, ${sql.lit(metadataSearchedLengthMax)})`
}

/** The metadata members of the jobs in the CTE `jobs`: tenant_id, name, value, job_id. Jobs without metadata have none. */
function metadataMembers(jobs: string): RawBuilder<unknown> {
  return sql`SELECT coalesce(g.tenant_id, '') AS tenant_id, d.key AS name, ${searchedValue(sql`d.value`)} AS value,
             g.id::uuid AS job_id
        FROM ${sql.id(jobs)} AS g CROSS JOIN LATERAL jsonb_each_text(g.metadata) AS d`
}

/** `described AS (…)`: writes the metadata rows of these jobs, in the statement that writes the jobs. */
export function insertedMetadata({ jobMetadata }: SchemaNames, jobs: string): RawBuilder<unknown> {
  return sql`described AS (
      INSERT INTO ${jobMetadata} (tenant_id, name, value, job_id) ${metadataMembers(jobs)}
    )`
}

/**
 * `removed_metadata AS (…)`: removes the metadata rows of these jobs. Each is found by the primary key, so that no
 * index on the job is needed. Nothing updates such a row, so its ctid stays valid.
 */
export function removedMetadata({ jobMetadata }: SchemaNames, jobs: string): RawBuilder<unknown> {
  return sql`removed_metadata AS (
      DELETE FROM ${jobMetadata} AS m WHERE m.ctid = ANY(ARRAY(
        SELECT row.ctid FROM (${metadataMembers(jobs)}) AS i
         CROSS JOIN LATERAL (
           SELECT r.ctid FROM ${jobMetadata} AS r
            WHERE r.tenant_id = i.tenant_id AND r.name = i.name AND r.value = i.value AND r.job_id = i.job_id LIMIT 1
         ) AS row))
    )`
}
