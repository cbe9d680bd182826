import {
  acquireServer,
  contentKey,
  createEmptyDatabases,
  createTestDatabases,
  createTestSessions,
  emptyQueue,
  type PlainSql,
  plainSqlOn,
  pooledUrl,
} from '@queue/dev-postgres'
import type pg from 'pg'
import { transactionSession } from '@queue/postgres'
import { type ConnectedDatabase, databaseOn, type QueueDatabase } from '../../src/database/connect.ts'
import { migrateUp } from '../../src/facade/manage-schema.ts'
import { createQueue, type Queue } from '../../src/facade/queue.ts'
import { databaseOf } from '../../src/enqueue/queue-internals.ts'

/** The migrated database of one test file, and ways to use it. */
export interface World {
  /** For connections of the queue: through a pooler if the tests run behind one. */
  readonly url: string
  /** The same without a pooler, for acts of an administrator. */
  readonly directUrl: string
  readonly queue: Queue
  readonly database: ConnectedDatabase
  readonly sql: PlainSql
  /** Opens a session, for transactions that are held open. It is closed at the next reset. */
  session(): Promise<pg.Client>
  /** Ends all sessions, and empties every table but the migration history; the queue `default` stays. */
  reset(): Promise<void>
  close(): Promise<void>
}

/** The databases of this process; the whole test run shares one server. */
export async function testDatabases(): Promise<{
  readonly empty: () => Promise<string>
  readonly migrated: () => Promise<string>
  readonly close: () => Promise<void>
}> {
  const server = await acquireServer()
  const migrationsKey = await contentKey(new URL('../../src/migrations/', import.meta.url))
  const migrated = createTestDatabases({
    serverUrl: server.url,
    templateKey: `core ${migrationsKey}`,
    prepareTemplate: async (url) => void (await migrateUp({ connectionString: url })),
  })
  const empty = createEmptyDatabases(server.url)
  return {
    empty: () => empty.create(),
    migrated: async () => (await migrated.create()).url,
    close: async () => {
      await migrated.dropAll()
      await empty.dropAll()
      await server.stop()
    },
  }
}

export async function openWorld(): Promise<World> {
  const databases = await testDatabases()
  const directUrl = await databases.migrated()
  const url = pooledUrl(directUrl)
  const queue = createQueue({ connectionString: url, applicationName: 'core-test' })
  const sessions = createTestSessions(directUrl)
  const sql = plainSqlOn(databaseOf(queue).pool)
  return {
    url,
    directUrl,
    queue,
    database: databaseOf(queue),
    sql,
    session: () => sessions.open(),
    reset: async () => {
      await sessions.endAll()
      await emptyQueue({ sql })
    },
    close: async () => {
      await sessions.endAll()
      await queue.close()
      await databases.close()
    },
  }
}

/** The queue's database on one session, so that a test decides when its statements commit. */
export function within(client: pg.ClientBase, schema = 'queue'): QueueDatabase {
  return databaseOn(transactionSession(client), schema)
}
