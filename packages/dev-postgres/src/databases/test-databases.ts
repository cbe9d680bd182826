import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { onConnection } from '../sessions.ts'
import { databaseUrl } from './database-url.ts'
import { type TestDatabasesOptions, provideTemplate } from './provide-template.ts'
import { testDatabasePrefix } from './sweep-stale-databases.ts'

/** A database for one test file. */
export interface ClonedDatabase {
  readonly name: string
  readonly url: string
  /** Drops the database, also while sessions are connected to it. Idempotent. */
  drop(): Promise<void>
}

export interface TestDatabases {
  /** Creates a copy of the template. */
  create(): Promise<ClonedDatabase>
  /** Drops every database that was created here and not dropped yet. */
  dropAll(): Promise<void>
}

/**
 * Test databases that are cloned from a template. The first process that needs the template prepares it, once per server
 * and key. Databases that a killed run has left on the server are removed a day later.
 */
export function createTestDatabases(options: TestDatabasesOptions): TestDatabases {
  const { serverUrl } = options
  const created = new Map<string, ClonedDatabase>()
  let template: Promise<string> | undefined

  async function create(): Promise<ClonedDatabase> {
    template ??= provideTemplate(options).catch((error: unknown) => {
      template = undefined
      throw error
    })
    const source = await template
    const name = `${testDatabasePrefix}${Date.now()}_${randomBytes(6).toString('hex')}`
    await onConnection(serverUrl, (client) =>
      client.query(`CREATE DATABASE ${pg.escapeIdentifier(name)} TEMPLATE ${pg.escapeIdentifier(source)}`),
    )
    const database = { name, url: databaseUrl(serverUrl, name), drop: () => drop(name) }
    created.set(name, database)
    return database
  }

  async function drop(name: string): Promise<void> {
    created.delete(name)
    await onConnection(serverUrl, (client) =>
      client.query(`DROP DATABASE IF EXISTS ${pg.escapeIdentifier(name)} WITH (FORCE)`),
    )
  }

  async function dropAll(): Promise<void> {
    for (const name of created.keys()) await drop(name)
  }

  return { create, dropAll }
}

export interface EmptyDatabases {
  /** Creates an empty database and returns its URL. */
  create(): Promise<string>
  /** Drops every database that was created here. */
  dropAll(): Promise<void>
}

export function createEmptyDatabases(serverUrl: string): EmptyDatabases {
  const databases = createTestDatabases({
    serverUrl,
    templateKey: 'empty',
    prepareTemplate: async () => undefined,
  })
  return { create: async () => (await databases.create()).url, dropAll: () => databases.dropAll() }
}
