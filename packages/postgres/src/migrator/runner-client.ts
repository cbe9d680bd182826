import type pg from 'pg'
import { MultiHostClient } from '../connections/multi-host-client.ts'
import { toQueueError } from '../pg-error.ts'
import { assertSchemaName } from '../statements/schema-name.ts'
import type { MigrationSet } from './migration.ts'

/** Where a schema is, for whoever looks after it. */
export interface RunnerOptions {
  /** A `postgres://` URL of a role that may do it: the owner of the tables. */
  readonly connectionString: string
  /** The PostgreSQL schema of the tables. Default: the migration set's, `queue` for the queue's own. */
  readonly schema?: string
}

/** One connection of its own, and the schema that it is about. */
export interface RunnerClient {
  readonly client: pg.ClientBase
  readonly schema: string
  readonly migrationSet: MigrationSet
}

const connectTimeoutMs = 5_000

/**
 * Runs `body` on a connection of its own, which is closed afterwards. Throws `invalid_options` on a bad schema name,
 * `database_unavailable` when there is no connection, `schema_mismatch` when a table is missing, and what `body`
 * throws.
 */
export async function withRunnerClient<Result>(
  migrationSet: MigrationSet,
  options: RunnerOptions,
  body: (runner: RunnerClient) => Promise<Result>,
): Promise<Result> {
  const schema = options.schema ?? migrationSet.schemaDefault
  assertSchemaName(schema)
  const client = new MultiHostClient({
    connectionString: options.connectionString,
    application_name: `${migrationSet.name}-migrate`,
    // A server that takes the connection and then says nothing must not hold a runner for ever.
    connectionTimeoutMillis: connectTimeoutMs,
    keepAlive: true,
  })
  // A connection that breaks fails the statement in flight; the event itself must not end the process.
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
