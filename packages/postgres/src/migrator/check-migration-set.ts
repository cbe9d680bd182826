import { sql } from 'kysely'
import { QueueError } from '../errors.ts'
import type { Session } from '../statements/session.ts'
import type { AppliedStep } from './migration-history.ts'
import type { MigrationSet } from './migration.ts'
import { type SchemaVersion, schemaVersionOf } from './schema-version.ts'

/**
 * Checks whether this code can run on the schema, as `schemaVersionOf` says. Throws `database_unavailable`, and PostgreSQL's own
 * error if it refuses the check, such as 42501 if the user may not read the schema.
 */
export async function checkMigrationSet(
  database: Session & { readonly schema: string },
  migrationSet: MigrationSet,
): Promise<SchemaVersion> {
  return schemaVersionOf(await readSteps(database, migrationSet), migrationSet)
}

/** The applied steps; none if there is no history. The history of an unreleased build has no checksums. */
async function readSteps(
  { run, schema }: Session & { readonly schema: string },
  { historyTable }: MigrationSet,
): Promise<readonly AppliedStep[]> {
  try {
    return await run(
      sql<AppliedStep>`SELECT m.version, m.name, m.min_code AS "minCode", to_jsonb(m) ->> 'checksum' AS checksum
                         FROM ${sql.id(schema, historyTable)} AS m ORDER BY m.version`,
    )
  } catch (error) {
    if (error instanceof QueueError && error.code === 'schema_mismatch') return []
    throw error
  }
}
