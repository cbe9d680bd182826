import { type ConnectOptions, QueueError } from '@queue/core'
import { assertSchemaName, type CallerSession, compiler, type Session } from '@queue/postgres'
import { connect, type ConnectedDatabase } from '@queue/core/internal'
import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { OutboxTables } from './tables.ts'

/** The default schema of an outbox, in the service's own database. */
export const outboxSchemaDefault = 'outbox'

/** The query builder and the quoted, schema-qualified names for all statements. */
export interface OutboxNames {
  /** Builds statements on the tables of the schema. It has no connection. */
  readonly db: Kysely<OutboxTables>
  readonly messages: RawBuilder<unknown>
  readonly deadLetters: RawBuilder<unknown>
}

/** The outbox's schema in one database, on which every statement of this package runs. */
export interface OutboxDatabase extends Session {
  readonly schema: string
  readonly names: OutboxNames
}

/** An outbox with this process's pool of connections to it. */
export interface ConnectedOutbox extends OutboxDatabase {
  readonly pool: ConnectedDatabase['pool']
  close(): Promise<void>
}

/** The outbox on `session`. Throws `invalid_options` on an invalid schema name. */
export function outboxOn(session: Session, schema: string): OutboxDatabase {
  assertSchemaName(schema)
  return {
    schema,
    names: {
      db: compiler.withSchema(schema),
      messages: sql.id(schema, 'outbox_messages'),
      deadLetters: sql.id(schema, 'outbox_dead_letters'),
    },
    run: (statement) => session.run(statement).catch(rethrow),
  }
}

/** The outbox inside the transaction of a caller that publishes. */
export type CallerOutbox = OutboxDatabase & CallerSession

export function outboxInside(session: CallerSession, schema: string): CallerOutbox {
  return {
    ...outboxOn(session, schema),
    write: (statement) => session.write(statement).catch(rethrow),
  }
}

export function connectOutbox(options: ConnectOptions): ConnectedOutbox {
  const database = connect({
    applicationName: 'queue-outbox',
    ...options,
    schema: options.schema ?? outboxSchemaDefault,
  })
  return {
    ...outboxOn(database, database.schema),
    pool: database.pool,
    close: () => database.close(),
  }
}

/** The channel of the notifications of new messages. */
export function outboxChannel(schema: string): string {
  return `${schema}.outbox`
}

function rethrow(error: unknown): never {
  if (!(error instanceof QueueError) || error.code !== 'schema_mismatch') throw error
  throw new QueueError(
    'schema_mismatch',
    'the outbox schema is missing or older than this code: run queue-migrate outbox up, or migrateOutbox',
    { cause: error.cause },
  )
}
