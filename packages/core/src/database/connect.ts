import {
  assertSchemaName,
  type CallerSession,
  type Database,
  type DatabaseOptions,
  openDatabase,
  type Session,
} from '@queue/postgres'
import type { Scope } from './scope.ts'
import { schemaDefault, type SchemaNames, schemaNames } from './schema-names.ts'

/** How to reach the database: a connection string of our own pool, or the caller's pool. */
export type ConnectOptions = DatabaseOptions & {
  /** The PostgreSQL schema that holds the queue; default `queue`. */
  readonly schema?: string
}

/** The queue's schema in one database: where every statement of this package runs. */
export interface QueueDatabase extends Session {
  readonly schema: string
  readonly names: SchemaNames
  /** Absent: everything. */
  readonly scope?: Scope | undefined
}

/** The queue's schema as seen from inside the caller's transaction. */
export type CallerDatabase = QueueDatabase & CallerSession

/** A queue's schema in a database that this process holds a pool to. */
export interface ConnectedDatabase extends Omit<Database, 'transaction'>, QueueDatabase {
  /**
   * Runs `work` in a transaction of its own on one connection: committed when it resolves, rolled back when it
   * rejects. `database_unavailable` leaves it unknown which of the two happened.
   */
  transaction<Result>(work: (database: QueueDatabase) => Promise<Result>): Promise<Result>
}

/** Prepares a pool; the first statement makes the first connection. Throws `invalid_options` on a bad schema name or setting. */
export function connect(options: ConnectOptions): ConnectedDatabase {
  const schema = options.schema ?? schemaDefault
  assertSchemaName(schema)
  const database = openDatabase(options)
  return {
    ...database,
    ...databaseOn(database, schema),
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
