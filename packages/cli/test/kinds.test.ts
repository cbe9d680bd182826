import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { type BackendName, createWorld, type Ran, type World } from './support/world.ts'

let world: World
let folder: string

beforeAll(async () => {
  world = await createWorld()
  folder = await mkdtemp(path.join(import.meta.dirname, 'kinds-'))
})

afterAll(async () => {
  await rm(folder, { recursive: true })
  await world.close()
})

/** A module with an older version, and with a check that JSON Schema cannot express. */
async function moduleWith(name: string, member: string): Promise<string> {
  const file = path.join(folder, `${name}-${member}.ts`)
  await writeFile(
    file,
    `import { defineJob } from '@queue/core'
     import { z } from 'zod'
     const old = { payload: z.object({ old: z.string() }), up: ({ old }) => ({ ${member}: old }) }
     export const greet = defineJob({
       kind: '${name}', version: 2, payload: z.object({ ${member}: z.string() }), upgrade: { 1: old },
     })
     export const jobs = [greet, defineJob({ kind: '${name}_bye', payload: z.object({ at: z.coerce.date() }) })]`,
  )
  return file
}

describe.each(['api', 'database'] as const)('the kinds of a module, over the %s', (backend: BackendName) => {
  const name = `greet_${backend}`
  const run = (...argv: readonly string[]): Promise<Ran> => world.run(backend, ['kinds', ...argv])
  const newest = async () => (await world.database.queue.kinds.list(name)).at(-1)

  test('are pushed, refused, retired and restored', async () => {
    const first = await moduleWith(name, 'name')
    const pushed = await run('push', first)
    expect(pushed).toMatchObject({ code: 0 })
    expect(pushed.stdout).toMatch(
      new RegExp(`^${name} +2 +new[^]*^${name} +1 +new[^]*^${name}_bye +1 +new`, 'm'),
    )
    expect(pushed.stderr).toBe(
      `${name}_bye version 1: JSON Schema cannot express the checks at /at: only handlers apply them\n`,
    )
    const again = JSON.parse((await run('push', first, '--json')).stdout)
    expect(again.data).toMatchObject([
      { kind: name, version: 2, outcome: 'unchanged' },
      { kind: `${name}_bye`, version: 1, outcome: 'unchanged' },
    ])

    expect(await run('retire', name)).toMatchObject({ code: 0 })
    await run('push', first)
    expect((await newest())?.retiredAt).not.toBeNull()
    expect(await run('push', first, '--restore')).toMatchObject({ code: 0 })
    expect((await newest())?.retiredAt).toBeNull()
  })
})

test('in the database a changed schema is refused while jobs of its version exist, unless --replace is given', async () => {
  const run = (...argv: readonly string[]): Promise<Ran> => world.run('database', ['kinds', ...argv])
  await run('push', await moduleWith('changing', 'name'))
  await world.database.pool.query(
    `INSERT INTO queue.jobs (id, kind, payload, kind_version) VALUES (gen_random_uuid(), 'changing', '{}', 2)`,
  )
  const changed = await moduleWith('changing', 'title')
  const refused = await run('push', changed)
  expect(refused).toMatchObject({ code: 5, stdout: '' })
  expect(refused.stderr).toContain('as version 3')
  const replaced = JSON.parse((await run('push', changed, '--replace', '--json')).stdout)
  expect(replaced.data).toContainEqual(
    expect.objectContaining({
      kind: 'changing',
      version: 2,
      outcome: 'replaced',
      changed_paths: expect.any(Array),
    }),
  )
  expect(await world.run('api', ['kinds', 'push', changed, '--replace'])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('the API decides by its setting KIND_CHANGES'),
  })
})

test('a file with members that no kind has is refused, and nothing of it is registered, the same way by either backend', async () => {
  const kind = { kind: 'misspelt', payload_schema: {}, sensitve: ['/a'], versoin: 2 }
  const file = path.join(folder, 'misspelt.json')
  const refusals = async (document: object): Promise<Ran[]> => {
    await writeFile(file, JSON.stringify(document))
    return [
      await world.run('api', ['kinds', 'push', file]),
      await world.run('database', ['kinds', 'push', file]),
    ]
  }
  const documents = [
    { kinds: [kind], knds: [] },
    { kinds: [{ kind: 'BAD', payload_schema: {} }] },
    { kinds: [{ kind: 'misspelt', payload_schema: {}, defaults: { prioritty: 2 } }] },
  ]
  for (const document of documents) {
    const [api, inDatabase] = await refusals(document)
    expect(api).toMatchObject({ code: 2, stdout: '' })
    expect(inDatabase).toEqual(api)
  }
  const [{ stderr } = { stderr: '' }] = await refusals(documents[0] ?? {})
  for (const place of ['/kinds/0/sensitve', '/kinds/0/versoin', '/knds'])
    expect(stderr).toContain(`${place}: unknown field`)
  expect(await world.database.queue.kinds.list('misspelt')).toEqual([])
})
