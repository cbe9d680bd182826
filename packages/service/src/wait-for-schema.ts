import type { SchemaVersion } from '@queue/core'
import { checkSchemaVersion, type QueueDatabase } from '@queue/core/internal'
import { differentCure, differentReason } from '@queue/postgres'
import type { Logger } from '@queue/telemetry'
import { ExitError, exitCodes } from './exit-code.ts'
import { waitWhileUnavailable } from './wait-while-unavailable.ts'

export interface WaitForSchemaOptions {
  readonly database: QueueDatabase
  readonly logger: Logger
  readonly signal: AbortSignal
}

/**
 * Waits for the database without a time limit, then checks that this code may run on its schema. A server may listen earlier;
 * until this has resolved it is alive, but not ready.
 *
 * Throws SchemaVersionError (exit 3) if the schema is missing, older or newer than this code accepts, ExitError (1) if the
 * database refuses the user, the password or the database's name, and the signal's reason if it aborts.
 */
export async function waitForSchema(options: WaitForSchemaOptions): Promise<SchemaVersion> {
  const { database, logger, signal } = options
  const version = await waitWhileUnavailable({ attempt: () => checkSchemaVersion(database), logger, signal })
  if (version.status !== 'compatible') throw new SchemaVersionError(database.schema, version)
  return version
}

const migrateCommand = 'queue-migrate up'

/** This code cannot run on the schema in the database. The message says what to run. Exit code 3. */
export class SchemaVersionError extends ExitError {
  override readonly name = 'SchemaVersionError'

  constructor(schema: string, version: SchemaVersion) {
    super(exitCodes.schema, explain(schema, version))
  }
}

function explain(schema: string, version: SchemaVersion): string {
  const { status, databaseVersion, codeVersion } = version
  const current = `the schema "${schema}" is at version ${databaseVersion}`
  switch (status) {
    case 'missing':
      return `the database has no queue in schema "${schema}": run ${migrateCommand}, then start again`
    case 'older':
      return `${current}, but this code needs version ${codeVersion}: run ${migrateCommand}, then start again`
    case 'newer':
      return `${current}, on which code for version ${codeVersion} can no longer run: deploy a newer release`
    case 'different':
      return `${current}, but ${differentReason(version)}: ${differentCure('queue-migrate up')}, then start again`
    case 'compatible':
      return `${current}, which is compatible`
  }
}
