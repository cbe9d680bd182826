import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { stripTypeScriptTypes } from 'node:module'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { createTestDatabase, type TestDatabase } from '@queue/testing'
import { createConsumer } from '../packages/create-consumer.ts'
import { type PackedPackage, packPackages } from '../packages/pack-packages.ts'
import {
  buildBundle,
  buildScripts,
  bundleAnswer,
  type BundleName,
  bundles,
  programToBundle,
  runBundle,
  runProgram,
} from '../packages/run-bundle.ts'
import { entriesModule, entriesOf } from '../packages/typescript-ways.ts'

const root = path.resolve(import.meta.dirname, '..', '..')
const peers = Object.fromEntries(
  ['esbuild', 'kysely', 'pg', 'rolldown', 'webpack', 'zod'].map((name) => [
    name,
    path.join(root, 'tooling/node_modules', name),
  ]),
)

let directory: string
let project: string
let packages: PackedPackage[]
beforeAll(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'queue-bundling-'))
  project = path.join(directory, 'project')
  const tarballs = path.join(directory, 'tarballs')
  await mkdir(tarballs)
  packages = await packPackages(root, tarballs)
  const files = { ...(await buildScripts(root)), 'worker.js': await programToBundle(root) }
  await createConsumer({ root, packages, directory: project, peers, files })
})

afterAll(() => rm(directory, { recursive: true, force: true }))

async function onDatabase(work: (database: TestDatabase) => Promise<void>): Promise<void> {
  const database = await createTestDatabase({ schema: 'elsewhere' })
  try {
    await work(database)
  } finally {
    await database.close()
  }
}

test.each(Object.keys(bundles) as BundleName[])(
  'a bundled worker works in another folder, and its bundler has nothing to warn of: %s',
  async (name) => {
    const deployed = path.join(directory, name)
    expect(await buildBundle(project, name, deployed)).not.toMatch(/warning/i)
    await onDatabase(async ({ url }) => {
      expect(await runBundle(deployed, name, url)).toEqual([bundleAnswer])
    })
  },
)

test('a bundle without the file of its thread says at its start which entry it needs', async () => {
  const deployed = path.join(directory, 'incomplete')
  await buildBundle(project, 'cjs', deployed)
  await rm(path.join(deployed, 'lease-thread.cjs'))
  await onDatabase(async ({ url }) => {
    await expect(runBundle(deployed, 'cjs', url)).rejects.toMatchObject({
      stderr: expect.stringMatching(/put a bundle of @queue\/worker\/lease-thread beside this one/),
    })
  })
})

test('a CommonJS bundle, which has no import.meta, loads every entry of every package', async () => {
  const names = packages.filter(({ isLibrary }) => isLibrary).map(({ name }) => name)
  const entries = (await Promise.all(names.map((name) => entriesOf(project, name)))).flat()
  const program = entriesModule(entries)
  const folder = path.join(project, 'entries')
  await mkdir(folder)
  await writeFile(path.join(folder, 'reference.ts'), program)
  await writeFile(path.join(folder, 'worker.js'), stripTypeScriptTypes(program))
  await writeFile(path.join(folder, 'build-cjs.mjs'), (await buildScripts(root))['build-cjs.mjs'] ?? '')
  await buildBundle(folder, 'cjs', path.join(directory, 'entries'))
  const [reference] = await runProgram(folder, 'reference.ts', '')
  expect(Object.keys(reference as object).length).toBeGreaterThan(25)
  expect(await runBundle(path.join(directory, 'entries'), 'cjs', '')).toEqual([reference])
})

test('no package declares the name that the banner of a bundle declares', async () => {
  const installed = path.join(project, 'node_modules/@queue')
  const files = await readdir(installed, { recursive: true })
  const compiled = files.filter((file) => file.endsWith('.js') && file.includes(`${path.sep}dist${path.sep}`))
  const texts = await Promise.all(compiled.map((file) => readFile(path.join(installed, file), 'utf8')))
  expect(compiled.length).toBeGreaterThan(40)
  expect(
    compiled.filter((_file, index) => /import \{[^}]*\bcreateRequire\b/.test(texts[index] ?? '')),
  ).toEqual([])
})
