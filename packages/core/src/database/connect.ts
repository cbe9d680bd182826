import {
  assertSchemaName,
  type CallerSession,
  type Database,
  type DatabaseOptions,
  openDatabase,
  type Session,
} from '@queue/postgres'
import type { Scoped } from './scope.ts'
import { schemaDefault, type SchemaNames, schemaNames } from './schema-names.ts'

/** How to reach the database: a connection string for a pool of our own, or the caller's pool. */
export type ConnectOptions = DatabaseOptions & {
  /** The PostgreSQL schema that holds the queue. Default `queue`. */
  readonly schema?: string
}

/** The queue's schema in one database. Every statement of this package runs on it. */
export interface QueueDatabase extends Session, Scoped {
  readonly schema: string
  readonly names: SchemaNames
}

/** The queue's schema as seen from inside the caller's transaction. */
export type CallerDatabase = QueueDatabase & CallerSession

/** A queue's schema in a database to which this process has a pool. */
export interface ConnectedDatabase extends Omit<Database, 'transaction'>, QueueDatabase {
  /** Aborts when `close` is called: what waits on this database ends then, also on a pool that stays open. */
  readonly closing: AbortSignal
  /**
   * Runs `work` in a transaction of its own on one connection. It is committed when `work` resolves, and rolled back
   * when it rejects. After `database_unavailable` it is unknown which of the two happened.
   */
  transaction<Result>(work: (database: QueueDatabase) => Promise<Result>): Promise<Result>
}

/**
 * Prepares a pool; the first statement opens the first connection. Throws `invalid_options` on an invalid schema name
 * or setting.
 */
export function connect(options: ConnectOptions): ConnectedDatabase {
  const schema = options.schema ?? schemaDefault
  assertSchemaName(schema)
  const database = openDatabase(options)
  const closing = new AbortController()
  return {
    ...database,
    ...databaseOn(database, schema),
    closing: closing.signal,
    close: async () => {
      closing.abort()
      await database.close()
    },
    transaction: (work) => database.transaction((session) => work(databaseOn(session, schema))),
  }
}

/** The queue's schema as seen through `session`. */
export function databaseOn(session: Session, schema: string): QueueDatabase {
  return {
    schema,
    names: schemaNames(schema),
    run: (statement, frequency) => session.run(statement, frequency),
  }
}
