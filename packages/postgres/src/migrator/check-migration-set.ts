import { sql } from 'kysely'
import type { Session } from '../statements/session.ts'
import { QueueError } from '../errors.ts'
import type { MigrationSet } from './migration.ts'

export interface SchemaVersion {
  /** The code can run only if this is `compatible`. */
  readonly status: 'compatible' | 'missing' | 'older' | 'newer'
  /** 0 if there is no schema. */
  readonly databaseVersion: number
  readonly codeVersion: number
}

/**
 * Checks whether this code can run on the schema: code for schema version c can run on version s if c ≤ s and c is at least the
 * `min_code` that the last step of s has recorded. Throws `database_unavailable`, and PostgreSQL's own error if it refuses the
 * check, such as 42501 if the user may not read the schema.
 */
export async function checkMigrationSet(
  database: Session & { readonly schema: string },
  migrationSet: MigrationSet,
): Promise<SchemaVersion> {
  const codeVersion = migrationSet.steps.length
  const last = await readLastMigration(database, migrationSet)
  if (last === undefined) return { status: 'missing', databaseVersion: 0, codeVersion }
  return { status: compare(last, codeVersion), databaseVersion: last.version, codeVersion }
}

interface LastMigration {
  readonly version: number
  readonly min_code: number
}

function compare(last: LastMigration, codeVersion: number): 'compatible' | 'older' | 'newer' {
  if (last.version < codeVersion) return 'older'
  return codeVersion >= last.min_code ? 'compatible' : 'newer'
}

async function readLastMigration(
  { run, schema }: Session & { readonly schema: string },
  { historyTable }: MigrationSet,
): Promise<LastMigration | undefined> {
  try {
    const rows = await run(
      sql<LastMigration>`SELECT version, min_code FROM ${sql.id(schema, historyTable)} ORDER BY version DESC LIMIT 1`,
    )
    return rows[0]
  } catch (error) {
    if (error instanceof QueueError && error.code === 'schema_mismatch') return undefined
    throw error
  }
}
