import type { QueueDatabase, SchemaVersion } from '@queue/core'
import { checkSchemaVersion } from '@queue/core/schema'
import type { Logger } from '@queue/telemetry'
import { SchemaVersionError } from './schema-version-error.ts'
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
