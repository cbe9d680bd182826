import { sql } from 'kysely'
import type { QueueDatabase } from '../database/connect.ts'
import { QueueError } from '../domain/errors.ts'
import { codeVersion } from './index.ts'

export interface SchemaVersion {
  /** `compatible` is the only one to run on. */
  readonly status: 'compatible' | 'missing' | 'older' | 'newer'
  /** 0 when nothing is there. */
  readonly databaseVersion: number
  readonly codeVersion: number
}

/**
 * Whether this code may run on the schema as it is: code for schema c accepts schema s when c ≤ s and c is at least
 * the `min_code` that the last step of s has recorded. Throws `database_unavailable` only.
 */
export async function checkSchemaVersion(database: QueueDatabase): Promise<SchemaVersion> {
  const last = await readLastMigration(database)
  if (last === undefined) return { status: 'missing', databaseVersion: 0, codeVersion }
  return { status: compare(last), databaseVersion: last.version, codeVersion }
}

interface LastMigration {
  readonly version: number
  readonly min_code: number
}

function compare(last: LastMigration): 'compatible' | 'older' | 'newer' {
  if (last.version < codeVersion) return 'older'
  return codeVersion >= last.min_code ? 'compatible' : 'newer'
}

async function readLastMigration(database: QueueDatabase): Promise<LastMigration | undefined> {
  try {
    const rows = await database.run(
      sql<LastMigration>`SELECT version, min_code FROM ${database.names.migrations} ORDER BY version DESC LIMIT 1`,
    )
    return rows[0]
  } catch (error) {
    if (error instanceof QueueError && error.code === 'schema_mismatch') return undefined
    throw error
  }
}
