import { createHash } from 'node:crypto'
import { readFile, readdir } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { onConnection } from '../sessions.ts'
import { databaseUrl } from './database-url.ts'
import { sweepStaleDatabases, templatePrefix } from './sweep-stale-databases.ts'

export interface TestDatabasesOptions {
  /** Connection URL of a maintenance database. Its role must be allowed to create databases. */
  readonly serverUrl: string
  /**
   * Identifies the content of the template. Callers with the same key on one server share a template, so the key must
   * change whenever the result of `prepareTemplate` changes (see `contentKey`).
   */
  readonly templateKey: string
  /** Brings the new, empty database at `url` into the state that every test database starts with. */
  readonly prepareTemplate: (url: string) => Promise<void>
}

/** The key of the advisory lock under which all templates of a server are made; no other lock uses this number. */
const templateLock = 5_177_301_442

/**
 * The name of the template for `templateKey`, which the first caller prepares. A finished template is marked as one on the
 * server (`datistemplate`). If its preparation was interrupted, the next caller makes it again.
 */
export async function provideTemplate(options: TestDatabasesOptions): Promise<string> {
  const digest = createHash('sha256').update(options.templateKey).digest('hex').slice(0, 24)
  const prefix = `${templatePrefix}${digest}_`
  return onConnection(options.serverUrl, async (client) => {
    const existing = await findTemplate(client, prefix)
    if (existing !== undefined) return existing
    await client.query('SELECT pg_advisory_lock($1)', [templateLock])
    return (await findTemplate(client, prefix)) ?? makeTemplate(client, `${prefix}${Date.now()}`, options)
  })
}

async function findTemplate(client: pg.Client, prefix: string): Promise<string | undefined> {
  const { rows } = await client.query<{ datname: string }>(
    'SELECT datname FROM pg_database WHERE starts_with(datname, $1) AND datistemplate ORDER BY datname DESC LIMIT 1',
    [prefix],
  )
  return rows[0]?.datname
}

async function makeTemplate(client: pg.Client, name: string, options: TestDatabasesOptions): Promise<string> {
  await sweepStaleDatabases(client)
  const quoted = pg.escapeIdentifier(name)
  await client.query(`CREATE DATABASE ${quoted} TEMPLATE template0 ENCODING 'UTF8'`)
  try {
    await options.prepareTemplate(databaseUrl(options.serverUrl, name))
    // Connections are forbidden from now on, because a template with an open session cannot be copied.
    await client.query(`ALTER DATABASE ${quoted} WITH ALLOW_CONNECTIONS false IS_TEMPLATE true`)
  } catch (error) {
    await client.query(`DROP DATABASE IF EXISTS ${quoted} WITH (FORCE)`)
    throw error
  }
  return name
}

/** A template key from the files in `folder` and its subfolders. It changes when one of them changes. */
export async function contentKey(folder: URL): Promise<string> {
  const root = fileURLToPath(folder)
  const entries = await readdir(root, { recursive: true, withFileTypes: true })
  const files = entries
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name))
    .sort()
  const digest = createHash('sha256')
  for (const file of files) {
    const content = await readFile(file)
    digest.update(`${path.relative(root, file)}\0${content.length}\0`).update(content)
  }
  return digest.digest('hex')
}
