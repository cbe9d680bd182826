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

/** A document of one kind with this schema. */
const ofSchema = (schema: unknown) => ({ kinds: [{ kind: 'refused', payload_schema: schema }] })
/** A document of one kind with these members too. */
const ofKind = (members: object) => ({ kinds: [{ kind: 'refused', payload_schema: {}, ...members }] })

/** Documents, and the places that are wrong in them. */
const refusedDocuments: readonly [unknown, ...string[]][] = [
  [
    { ...ofKind({ sensitve: ['/a'], versoin: 2 }), knds: [] },
    '/kinds/0/sensitve',
    '/kinds/0/versoin',
    '/knds',
  ],
  [ofKind({ kind: 'BAD' }), '/kinds/0/kind'],
  [ofKind({ payloadSchema: {} }), '/kinds/0/payloadSchema: unknown field'],
  [ofKind({ defaults: { prioritty: 2 } }), '/kinds/0/defaults/prioritty'],
  [ofKind({ defaults: { maxAttempts: 5 } }), '/kinds/0/defaults/maxAttempts: unknown field'],
  [
    ofKind({ defaults: { retry_policy: { type: 'fixed', baseMs: 5 } } }),
    '/kinds/0/defaults/retry_policy/base_ms',
    '/kinds/0/defaults/retry_policy/baseMs: unknown field',
  ],
  [{ ...ofKind({}), replace: true }, '/replace: unknown field'],
  [{ ...ofKind({}), restore: 'yes' }, '/restore'],
  [{ kinds: [...ofKind({}).kinds, ...ofKind({}).kinds] }, 'twice'],
  [{ kinds: Array.from({ length: 101 }, (_, n) => ({ kind: `k${n}`, payload_schema: {} })) }, '/kinds'],
  [{ kinds: [] }, '/kinds'],
  [ofSchema({ type: 'objekt' }), '/kinds/0/payload_schema/type'],
  [ofSchema({ properties: { firstName: { minimum: 'x' } } }), '/payload_schema/properties/firstName/minimum'],
  [ofSchema({ properties: 5 }), '/payload_schema/properties'],
  [ofSchema({ required: 'x' }), '/payload_schema/required'],
  [ofSchema({ enum: 5 }), '/payload_schema/enum'],
  [ofSchema({ items: [{}] }), '/payload_schema/items'],
  [ofSchema({ $defs: { a: null } }), '/payload_schema/$defs/a'],
  [ofSchema({ $ref: '#/$defs/none' }), '/payload_schema/$ref'],
  [ofSchema({ $dynamicRef: '#none' }), '/payload_schema/$dynamicRef'],
  [ofSchema({ $ref: 'https://schemas.example/a' }), '/payload_schema/$ref'],
  [ofSchema({ $id: 'https://schemas.example/a' }), '/payload_schema/$id'],
  [ofSchema({ $anchor: '1 a' }), '/payload_schema/$anchor'],
  [ofSchema({ $defs: { a: { $anchor: 'a' }, b: { $anchor: 'a' } } }), '/payload_schema'],
  [ofSchema({ pattern: '(' }), '/payload_schema/pattern'],
  [ofSchema({ pattern: '(?=a)b' }), '/payload_schema/pattern'],
  [ofSchema({ pattern: 'a'.repeat(9_000) }), 'patterns of more than 8192 characters'],
  [ofSchema({ $schema: 'http://json-schema.org/draft-07/schema#' }), '/payload_schema/$schema'],
  [ofSchema({ $schema: 5 }), '/payload_schema/$schema'],
  [ofSchema(5), '/kinds/0/payload_schema'],
  [ofSchema(JSON.parse('{"properties":{"__proto__":{}}}')), 'has a member named __proto__'],
]

test.each(refusedDocuments.map(([document, ...places]) => ({ document, places })))(
  'a file of kinds is refused the same way over the API and in the database: $places',
  async ({ document, places }) => {
    const file = path.join(folder, 'refused.json')
    await writeFile(file, JSON.stringify(document))
    const inDatabase = await world.run('database', ['kinds', 'push', file])
    expect(inDatabase).toMatchObject({ code: 2, stdout: '' })
    for (const place of places) expect(inDatabase.stderr).toContain(place)
    expect(await world.run('api', ['kinds', 'push', file])).toEqual(inDatabase)
    expect(await world.database.queue.kinds.list('refused')).toEqual([])
  },
)

test('a conflict is told at its place in the file', async () => {
  const file = path.join(folder, 'conflict.json')
  const push = async (schema: object) => {
    await writeFile(file, JSON.stringify({ kinds: [{ kind: 'conflicting', payload_schema: schema }] }))
    return world.run('database', ['kinds', 'push', file])
  }
  await push({ type: 'string' })
  await world.database.pool.query(
    `INSERT INTO queue.jobs (id, kind, payload) VALUES (gen_random_uuid(), 'conflicting', '"a"')`,
  )
  expect(await push({ type: 'number' })).toMatchObject({
    code: 5,
    stderr: expect.stringContaining('/kinds/0/payload_schema: jobs of conflicting'),
  })
})
