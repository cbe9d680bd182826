import { createQueue, migrationPlan, type Process, type Queue } from '@queue/core'
import { privilegeMatrix } from '@queue/core/access'
import { schemaDefault } from '@queue/core/schema'
import {
  type ClonedDatabase,
  createTestDatabases,
  isPooled,
  pooledUrl,
  type TestDatabases,
} from '@queue/dev-postgres'
import pg from 'pg'
import { borrowServer } from './borrow-server.ts'
import { prepareTemplate, urlAs } from './process-roles.ts'

export interface TestDatabaseOptions {
  /** The PostgreSQL schema that holds the queue; default `queue`. */
  readonly schema?: string
  /** A server to use instead of the one that `TEST_DATABASE_URL` names or that is started here. */
  readonly serverUrl?: string
}

/** A migrated database of its own, on a real server, for one test file. */
export interface TestDatabase {
  /** Connection URL, for code under test that makes its own connections: through a pooler, where the tests run behind one. */
  readonly url: string
  /** The same past any pooler, for sessions that a test needs to have to itself. */
  readonly directUrl: string
  /**
   * The same for a process that connects with its role and not as the owner, as it should be deployed. Needs a server
   * on which roles may be created. Behind a pooler, which knows its own user only, it is the owner's.
   */
  urlAs(process: Process): string
  readonly schema: string
  /** Connections for the test itself, 10 at most. */
  readonly pool: pg.Pool
  /** A queue on that pool. */
  readonly queue: Queue
  /** Drops the database, whoever is still connected, and stops a server that was started for it. Idempotent. */
  close(): Promise<void>
}

/** No schema is called so on any server; its plan is therefore the whole of the migrations. */
const unmigratedSchema = 'queue_testing_plan'

/**
 * Clones a migrated database from a template that is made once per server. The server is the one of
 * `TEST_DATABASE_URL`, else a container where Docker answers, else an embedded PostgreSQL. Call it before all
 * tests of a file and `close()` after them.
 */
export async function createTestDatabase(options: TestDatabaseOptions = {}): Promise<TestDatabase> {
  const schema = options.schema ?? schemaDefault
  const server = options.serverUrl === undefined ? await borrowServer() : ownServer(options.serverUrl)
  try {
    const databases = await databasesOf(server.url, schema)
    const database = await databases.create()
    return open(database, { schema, returnServer: () => server.returnServer() })
  } catch (error) {
    await server.returnServer()
    throw error
  }
}

/** By server and schema: the code of a process stays as it is, and so does the template that it needs. */
const known = new Map<string, Promise<TestDatabases>>()

function databasesOf(serverUrl: string, schema: string): Promise<TestDatabases> {
  const key = `${serverUrl} ${schema}`
  const found = known.get(key) ?? openDatabases(serverUrl, schema)
  known.set(key, found)
  // The next who asks may find the server well again.
  found.catch(() => known.delete(key))
  return found
}

async function openDatabases(serverUrl: string, schema: string): Promise<TestDatabases> {
  const { sql } = await migrationPlan({ connectionString: serverUrl, schema: unmigratedSchema })
  return createTestDatabases({
    serverUrl,
    templateKey: `${schema}\n${sql}\n${JSON.stringify(privilegeMatrix)}`,
    prepareTemplate: (url) => prepareTemplate({ connectionString: url, schema }),
  })
}

function ownServer(url: string): { url: string; returnServer: () => Promise<void> } {
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
      // Dropping first frees a connection that a test still waits on, which ending the pool would wait for too.
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
