import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { createTestDatabase, type TestDatabase } from '@queue/testing'
import { runMigrate } from './run-migrate.ts'

let database: TestDatabase
let folder: string

beforeAll(async () => {
  database = await createTestDatabase()
  folder = await mkdtemp(path.join(fileURLToPath(new URL('.', import.meta.url)), 'kinds-'))
})

afterAll(async () => {
  await rm(folder, { recursive: true })
  await database.close()
})

const run = (args: readonly string[], env = {}) => runMigrate(args, { DATABASE_URL: database.url, ...env })

async function moduleWith(name: string, member: string): Promise<string> {
  const file = path.join(folder, name)
  await writeFile(
    file,
    `import { defineJob } from '@queue/core'
     import { z } from 'zod'
     export const greet = defineJob({ kind: 'greet', payload: z.object({ ${member}: z.string() }) })
     export const jobs = [greet, defineJob({ kind: 'bye', payload: z.object({ at: z.coerce.date() }) })]`,
  )
  return file
}

test('kinds are pushed from a module, listed, refused, retired and restored', async () => {
  const first = await moduleWith('first.ts', 'name')
  const pushed = await run(['kinds', 'push', first])
  expect(pushed).toMatchObject({ code: 0, stderr: '' })
  expect(pushed.stdout).toMatch(
    /^greet {2}version 1 {2}new\nbye {2}version 1 {2}new {2}JSON Schema cannot express.*at \/at/,
  )
  expect((await run(['kinds', 'list'])).stdout).toMatch(
    /bye {2}version 1 {2}by migrate {2}last seen .*\ngreet/,
  )

  await database.pool.query(
    `INSERT INTO queue.jobs (id, kind, payload) VALUES (gen_random_uuid(), 'greet', '{}')`,
  )
  const changed = await moduleWith('changed.ts', 'title')
  const refused = await run(['kinds', 'push', changed], { KIND_CHANGES: 'refuse' })
  expect(refused.code).toBe(1)
  expect(refused.stderr).toContain('register this one as version 2')

  expect((await run(['kinds', 'retire', 'greet'])).code).toBe(0)
  await run(['kinds', 'push', first])
  const retired = async () => (await database.queue.kinds.list('greet'))[0]?.retiredAt !== null
  expect(await retired()).toBe(true)
  await run(['kinds', 'push', first, '--restore', '--json'])
  expect(await retired()).toBe(false)
})

test.each([
  [['kinds'], /"kinds" is not a command/],
  [['kinds', 'push'], /accepted: kinds list/],
  [['kinds', 'list', '--restore'], /is not a command/],
  [['kinds', 'push', './nothing.ts'], /cannot be loaded/],
  [['kinds', 'push', '@queue/postgres/errors'], /exports no definition/],
])('%j is refused with the reason', async (args, message) => {
  const refused = await run(args)
  expect(refused.code).toBe(2)
  expect(refused.stderr).toMatch(message)
})
