import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import pg from 'pg'
import { sweepStaleDatabases } from '../src/databases/sweep-stale-databases.ts'
import { acquireServer, contentKey, createTestDatabases, type PostgresServer } from '../src/index.ts'
import { answers, query } from './held-server.ts'

let server: PostgresServer
/** Makes the template keys unique, also on a server that outlives this run. */
const run = `${process.pid}-${Date.now()}`

beforeAll(async () => {
  server = await acquireServer()
})

afterAll(async () => {
  await removeTemplates()
  await server.stop()
})

/** Templates outlive their run on purpose, but not those of this test. */
async function removeTemplates(): Promise<void> {
  const names = await query(
    server.url,
    "SELECT datname FROM pg_database d WHERE shobj_description(d.oid, 'pg_database') = $1",
    [run],
  )
  for (const { datname } of names.rows) {
    await query(server.url, `ALTER DATABASE ${pg.escapeIdentifier(datname)} WITH IS_TEMPLATE false`)
    await query(server.url, `DROP DATABASE ${pg.escapeIdentifier(datname)} WITH (FORCE)`)
  }
}

/** Creates one table in a template, and a comment that names this run. */
async function prepareTemplate(url: string): Promise<void> {
  const name = new URL(url).pathname.slice(1)
  await query(url, `COMMENT ON DATABASE ${pg.escapeIdentifier(name)} IS ${pg.escapeLiteral(run)}`)
  await query(url, 'CREATE TABLE prepared AS SELECT 1 AS one')
}

async function databaseExists(name: string): Promise<boolean> {
  return (await query(server.url, 'SELECT 1 FROM pg_database WHERE datname = $1', [name])).rowCount === 1
}

test('every database is an independent copy of the template', async () => {
  const databases = createTestDatabases({ serverUrl: server.url, templateKey: `own-${run}`, prepareTemplate })
  const [first, second] = await Promise.all([databases.create(), databases.create()])
  await query(first.url, 'UPDATE prepared SET one = 2')
  expect((await query(second.url, 'SELECT one FROM prepared')).rows).toEqual([{ one: 1 }])
  await databases.dropAll()
  expect(await databaseExists(first.name)).toBe(false)
  expect(await databaseExists(second.name)).toBe(false)
})

test('a database is dropped despite open connections, and dropping is idempotent', async () => {
  const databases = createTestDatabases({ serverUrl: server.url, templateKey: `own-${run}`, prepareTemplate })
  const database = await databases.create()
  const client = new pg.Client({ connectionString: database.url })
  client.on('error', () => undefined)
  const disconnected = new Promise<void>((resolve) => client.once('end', resolve))
  await client.connect()
  await database.drop()
  await disconnected
  await database.drop()
  expect(await answers(database.url)).toBe(false)
})

test('concurrent processes prepare a template only once', async () => {
  const fixture = fileURLToPath(new URL('./fixtures/clone-databases.ts', import.meta.url))
  const key = `race-${run}`
  const outputs = await Promise.all(
    Array.from({ length: 4 }, async () => {
      const child = spawn(process.execPath, [fixture, server.url, key, run], {
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      let output = ''
      child.stdout.on('data', (chunk) => {
        output += String(chunk)
      })
      expect((await once(child, 'close'))[0]).toBe(0)
      return JSON.parse(output) as { prepared: number; rows: number[] }
    }),
  )
  expect(outputs.reduce((sum, { prepared }) => sum + prepared, 0)).toBe(1)
  expect(outputs.map(({ rows }) => rows)).toEqual(Array.from({ length: 4 }, () => [1, 1, 1]))
})

test('a failed preparation leaves no template, and is tried again', async () => {
  let attempts = 0
  const databases = () =>
    createTestDatabases({
      serverUrl: server.url,
      templateKey: `fails-once-${run}`,
      prepareTemplate: async (url) => {
        attempts++
        if (attempts === 1) throw new Error('the migration failed')
        await prepareTemplate(url)
      },
    })
  await expect(databases().create()).rejects.toThrow('the migration failed')
  const database = await databases().create()
  expect((await query(database.url, 'SELECT one FROM prepared')).rows).toEqual([{ one: 1 }])
  await database.drop()
  expect(attempts).toBe(2)
})

test('only old databases and templates that a killed run has left are removed', async () => {
  const day = 24 * 60 * 60 * 1000
  const now = Date.now() + 10_000 * day // No other database is from that time.
  const old = now - 8 * day
  const young = now - day / 2
  const names = [`queue_test_${old}_${process.pid}`, `queue_test_${young}_${process.pid}`]
  const templates = [`queue_template_${process.pid}_${old}`, `queue_template_${process.pid}_${young}`]
  const client = new pg.Client({ connectionString: server.url })
  await client.connect()
  for (const name of [...names, ...templates]) await client.query(`CREATE DATABASE ${name}`)
  for (const name of templates) await client.query(`ALTER DATABASE ${name} WITH IS_TEMPLATE true`)
  const filteredClient = { query: queryOnly(client, [...names, ...templates]) } as unknown as pg.Client
  await sweepStaleDatabases(filteredClient, now)
  expect(await Promise.all([...names, ...templates].map(databaseExists))).toEqual([false, true, false, true])
  await sweepStaleDatabases(filteredClient, now + 30 * day)
  expect(await Promise.all([...names, ...templates].map(databaseExists))).toEqual([
    false,
    false,
    false,
    false,
  ])
  await client.end()
})

/** A query function that returns only the named databases, because other test files share this server. */
function queryOnly(client: pg.Client, names: readonly string[]) {
  return async (text: string, values?: unknown[]) => {
    const result = await client.query(text, values)
    return { ...result, rows: result.rows.filter(({ datname }) => names.includes(datname)) }
  }
}

test('a content key depends only on the files, their names and their folders', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'content-'))
  const key = () => contentKey(pathToFileURL(folder))
  await writeFile(path.join(folder, 'a'), 'one')
  const first = await key()
  expect(await key()).toBe(first)
  await writeFile(path.join(folder, 'a'), 'two')
  const second = await key()
  await writeFile(path.join(folder, 'b'), '')
  const third = await key()
  expect(new Set([first, second, third]).size).toBe(3)
  await rm(folder, { recursive: true })
})
