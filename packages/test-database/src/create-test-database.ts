import { createQueue, migrationPlan, type Process, type Queue } from '@queue/core'
import { privilegeMatrix, schemaDefault } from '@queue/core/internal'
import {
  type ClonedDatabase,
  createTestDatabases,
  isPooled,
  pooledUrl,
  type TestDatabases,
} from '@queue/dev-postgres'
import { assertOptions, optional, type Rule, text } from '@queue/loop/arguments'
import pg from 'pg'
import { borrowServer } from './borrow-server.ts'
import { prepareTemplate, urlAs } from './process-roles.ts'

export interface TestDatabaseOptions {
  /** The PostgreSQL schema that holds the queue; default `queue`. */
  readonly schema?: string
  /** The server to use; by default the one at `TEST_DATABASE_URL`, else one that is started here. */
  readonly serverUrl?: string
}

const optionRules = {
  schema: optional(text),
  serverUrl: optional(text),
} as const satisfies { readonly [Name in keyof TestDatabaseOptions]-?: Rule }

/** A migrated database on a real PostgreSQL server, for one test file. */
export interface TestDatabase {
  /** Connection URL for code under test that opens its own connections. It leads through a pooler if the tests use one. */
  readonly url: string
  /** Connection URL that bypasses any pooler, for sessions that a test needs for itself. */
  readonly directUrl: string
  /**
   * Connection URL for a process that connects with its own role instead of the owner's, as in a deployment. The server must
   * allow the creation of roles. Behind a pooler, which knows only its own user, it is the owner's URL.
   */
  urlAs(process: Process): string
  readonly schema: string
  /** At most 10 connections for the test itself. */
  readonly pool: pg.Pool
  /** A queue that uses `pool`. */
  readonly queue: Queue
  /** Drops the database, also while sessions are connected, and stops a server that was started for it. Idempotent. */
  close(): Promise<void>
}

/** A schema that exists on no server, so that its plan contains all migrations. */
const unmigratedSchema = 'queue_testing_plan'

/**
 * Clones a migrated database from a template that is made once per server. The server is the one at `TEST_DATABASE_URL`,
 * else a container if Docker answers, else an embedded PostgreSQL. Call it before all tests of a file, and `close()` after
 * them.
 */
export async function createTestDatabase(options: TestDatabaseOptions = {}): Promise<TestDatabase> {
  assertOptions('createTestDatabase', options, optionRules)
  const schema = options.schema ?? schemaDefault
  const server = options.serverUrl === undefined ? await borrowServer() : externalServer(options.serverUrl)
  try {
    const databases = await databasesOf(server.url, schema)
    const database = await databases.create()
    return open(database, { schema, returnServer: () => server.returnServer() })
  } catch (error) {
    await server.returnServer()
    throw error
  }
}

/** By server and schema. The code of a process does not change, so each needs one template. */
const databasesByKey = new Map<string, Promise<TestDatabases>>()

function databasesOf(serverUrl: string, schema: string): Promise<TestDatabases> {
  const key = `${serverUrl} ${schema}`
  const databases = databasesByKey.get(key) ?? openDatabases(serverUrl, schema)
  databasesByKey.set(key, databases)
  // After a failure the next caller tries again.
  databases.catch(() => databasesByKey.delete(key))
  return databases
}

async function openDatabases(serverUrl: string, schema: string): Promise<TestDatabases> {
  const { sql } = await migrationPlan({ connectionString: serverUrl, schema: unmigratedSchema })
  return createTestDatabases({
    serverUrl,
    templateKey: `${schema}\n${sql}\n${JSON.stringify(privilegeMatrix)}`,
    prepareTemplate: (url) => prepareTemplate({ connectionString: url, schema }),
  })
}

function externalServer(url: string): { url: string; returnServer: () => Promise<void> } {
  return { url, returnServer: async () => undefined }
}

function open(
  database: ClonedDatabase,
  { schema, returnServer }: { schema: string; returnServer: () => Promise<void> },
): TestDatabase {
  const pool = new pg.Pool({ connectionString: database.url, max: 10 })
  // A test may kill its own connections, idle ones included.
  pool.on('error', () => undefined)
  const queue = createQueue({ pool, schema })
  let closed: Promise<void> | undefined
  const close = async (): Promise<void> => {
    try {
      await queue.close()
      // The drop ends connections that a test still uses, for which the end of the pool would wait.
      await database.drop()
      await pool.end()
    } finally {
      await returnServer()
    }
  }
  return {
    url: pooledUrl(database.url),
    directUrl: database.url,
    urlAs: (process) => (isPooled() ? pooledUrl(database.url) : urlAs(database.url, process)),
    schema,
    pool,
    queue,
    close: () => (closed ??= close()),
  }
}
