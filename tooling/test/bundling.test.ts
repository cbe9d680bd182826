import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { createTestDatabase } from '@queue/testing'
import { blocksOf } from '../guide/run-guide.ts'
import { createConsumer } from '../packages/create-consumer.ts'
import { packPackages } from '../packages/pack-packages.ts'

const root = path.resolve(import.meta.dirname, '..', '..')
const run = promisify(execFile)
const peers = Object.fromEntries(
  ['esbuild', 'kysely', 'pg', 'webpack', 'zod'].map((name) => [
    name,
    path.join(root, 'tooling/node_modules', name),
  ]),
)

let directory: string
beforeAll(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'queue-bundling-'))
  const tarballs = path.join(directory, 'tarballs')
  await mkdir(tarballs)
  const packages = await packPackages(root, tarballs)
  const blocks = blocksOf(await readFile(path.join(root, 'docs/bundling.md'), 'utf8'))
  const builds = blocks.flatMap((block) => (block.type === 'file' ? [[block.name, block.text]] : []))
  const program = await readFile(path.join(import.meta.dirname, 'consumer/bundled.js'), 'utf8')
  const files = { 'worker.js': program, ...Object.fromEntries(builds) }
  await createConsumer({ root, packages, directory: path.join(directory, 'project'), peers, files })
})

afterAll(() => rm(directory, { recursive: true, force: true }))

/** Builds a bundle as docs/bundling.md says, and moves it to a folder that has nothing else. */
async function bundle(name: string): Promise<string> {
  const project = path.join(directory, 'project')
  await run(process.execPath, [`build-${name}.mjs`], { cwd: project, env: { PATH: process.env['PATH'] } })
  const moved = path.join(directory, 'deployed', name)
  await cp(path.join(project, name), moved, { recursive: true })
  return moved
}

test.each([
  ['esm', 'worker.mjs'],
  ['cjs', 'worker.cjs'],
  ['webpack', 'worker.cjs'],
])('a bundled worker works in another folder: %s', async (name, program) => {
  const deployed = await bundle(name)
  const database = await createTestDatabase({ schema: 'elsewhere' })
  try {
    const env = { DATABASE_URL: database.url, PATH: process.env['PATH'] }
    const { stdout } = await run(process.execPath, [program], { cwd: deployed, env, timeout: 60_000 })
    expect(JSON.parse(stdout)).toEqual({
      description: 'every second, UTC',
      pausedReason: null,
      livez: 200,
      hasMetrics: true,
    })
  } finally {
    await database.close()
  }
})

test('a bundle without the file of its thread says at its start which entry it needs', async () => {
  const deployed = await bundle('cjs')
  await rm(path.join(deployed, 'lease-thread.cjs'))
  const database = await createTestDatabase({ schema: 'elsewhere' })
  try {
    const env = { DATABASE_URL: database.url, PATH: process.env['PATH'] }
    const started = run(process.execPath, ['worker.cjs'], { cwd: deployed, env, timeout: 60_000 })
    await expect(started).rejects.toMatchObject({
      stderr: expect.stringMatching(/put a bundle of @queue\/worker\/lease-thread beside this one/),
    })
  } finally {
    await database.close()
  }
})

test('no package declares the name that the banner of a bundle declares', async () => {
  const installed = path.join(directory, 'project/node_modules/@queue')
  const files = await readdir(installed, { recursive: true })
  const compiled = files.filter((file) => file.endsWith('.js') && file.includes(`${path.sep}dist${path.sep}`))
  const texts = await Promise.all(compiled.map((file) => readFile(path.join(installed, file), 'utf8')))
  expect(compiled.length).toBeGreaterThan(400)
  expect(
    compiled.filter((_file, index) => /import \{[^}]*\bcreateRequire\b/.test(texts[index] ?? '')),
  ).toEqual([])
})
