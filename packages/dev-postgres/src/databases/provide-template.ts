import { createHash } from 'node:crypto'
import pg from 'pg'
import { databaseUrl } from './database-url.ts'
import { withMaintenanceClient } from './maintenance-client.ts'
import { sweepStaleDatabases } from './sweep-stale-databases.ts'
import { templatePrefix } from './test-database-names.ts'

export interface TestDatabasesOptions {
  /** Connection URL of a maintenance database, as a role that may create databases. */
  readonly serverUrl: string
  /**
   * Names the content of the template. Two callers with the same key on one server share a template, so the
   * key has to change whenever `prepareTemplate` would make something else (see `contentKey`).
   */
  readonly templateKey: string
  /** Brings the new, empty database at `url` into the state that every test database begins with. */
  readonly prepareTemplate: (url: string) => Promise<void>
}

/** Any number that nobody else uses; one lock for all templates of a server, since they are made once. */
const templateLock = 5_177_301_442

/**
 * The name of the template for `templateKey`, prepared by the first who asks. The mark of a finished one is
 * that the server lists it as a template: one whose preparation was cut short is made anew.
 */
export async function provideTemplate(options: TestDatabasesOptions): Promise<string> {
  const digest = createHash('sha256').update(options.templateKey).digest('hex').slice(0, 24)
  const prefix = `${templatePrefix}${digest}_`
  return withMaintenanceClient(options.serverUrl, async (client) => {
    const known = await findTemplate(client, prefix)
    if (known !== undefined) return known
    await client.query('SELECT pg_advisory_lock($1)', [templateLock])
    return (await findTemplate(client, prefix)) ?? makeTemplate(client, `${prefix}${Date.now()}`, options)
  })
}

async function findTemplate(client: pg.Client, prefix: string): Promise<string | undefined> {
  const found = await client.query<{ datname: string }>(
    'SELECT datname FROM pg_database WHERE starts_with(datname, $1) AND datistemplate ORDER BY datname DESC LIMIT 1',
    [prefix],
  )
  return found.rows[0]?.datname
}

async function makeTemplate(client: pg.Client, name: string, options: TestDatabasesOptions): Promise<string> {
  await sweepStaleDatabases(client)
  const quoted = pg.escapeIdentifier(name)
  await client.query(`CREATE DATABASE ${quoted} TEMPLATE template0 ENCODING 'UTF8'`)
  try {
    await options.prepareTemplate(databaseUrl(options.serverUrl, name))
    // Nobody may connect any more, since a template with a session on it cannot be copied.
    await client.query(`ALTER DATABASE ${quoted} WITH ALLOW_CONNECTIONS false IS_TEMPLATE true`)
  } catch (error) {
    await client.query(`DROP DATABASE IF EXISTS ${quoted} WITH (FORCE)`)
    throw error
  }
  return name
}
