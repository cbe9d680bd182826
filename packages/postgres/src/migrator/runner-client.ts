import { assertArguments, object } from '@queue/loop/arguments'
import type pg from 'pg'
import { MultiHostClient } from '../connections/multi-host-client.ts'
import { assertConnectionString } from '../database.ts'
import { toQueueError } from '../pg-error.ts'
import { assertSchemaName } from '../statements/schema-name.ts'
import type { MigrationSet } from './migration.ts'

/** The location of a schema to migrate. */
export interface RunnerOptions {
  /** A `postgres://` URL of a role that may migrate it: the owner of the tables. */
  readonly connectionString: string
  /** The PostgreSQL schema of the tables. Default: the migration set's, `queue` for the queue's own. */
  readonly schema?: string
}

/** A separate connection, and the schema to migrate over it. */
export interface RunnerClient {
  readonly client: pg.ClientBase
  readonly schema: string
  readonly migrationSet: MigrationSet
}

const connectTimeoutMs = 5_000

/**
 * Runs `body` on a separate connection, which is closed afterwards. Throws `invalid_options` on an invalid schema name,
 * `database_unavailable` if there is no connection, `schema_mismatch` if a table is missing, and the errors of `body`.
 */
export async function withRunnerClient<Result>(
  migrationSet: MigrationSet,
  options: RunnerOptions,
  body: (runner: RunnerClient) => Promise<Result>,
): Promise<Result> {
  assertArguments('migrate', { options: object }, [options])
  assertConnectionString(options.connectionString)
  const schema = options.schema ?? migrationSet.schemaDefault
  assertSchemaName(schema)
  const client = new MultiHostClient({
    connectionString: options.connectionString,
    application_name: `${migrationSet.name}-migrate`,
    // A server that accepts the connection and then stays silent must not hold up a runner forever.
    connectionTimeoutMillis: connectTimeoutMs,
    keepAlive: true,
  })
  // When the connection breaks, the statement in flight fails. The event itself must not end the process.
  client.on('error', () => undefined)
  try {
    await client.connect()
    return await body({ client, schema, migrationSet })
  } catch (error) {
    throw toQueueError(error)
  } finally {
    await client.end().catch(() => undefined)
  }
}
