import { mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { createTestDatabase, type TestDatabase } from '@queue/testing'
import { createConsumer } from '../packages/create-consumer.ts'
import { packPackages } from '../packages/pack-packages.ts'
import {
  buildBundle,
  bundleAnswer,
  type BundleName,
  bundles,
  filesToBundle,
  runBundle,
} from '../packages/run-bundle.ts'

const root = path.resolve(import.meta.dirname, '..', '..')
const peers = Object.fromEntries(
  ['esbuild', 'kysely', 'pg', 'webpack', 'zod'].map((name) => [
    name,
    path.join(root, 'tooling/node_modules', name),
  ]),
)

let directory: string
let project: string
beforeAll(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'queue-bundling-'))
  project = path.join(directory, 'project')
  const tarballs = path.join(directory, 'tarballs')
  await mkdir(tarballs)
  const packages = await packPackages(root, tarballs)
  await createConsumer({ root, packages, directory: project, peers, files: await filesToBundle(root) })
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
  'a bundled worker works in another folder: %s',
  async (name) => {
    const deployed = path.join(directory, name)
    await buildBundle(project, name, deployed)
    await onDatabase(async ({ url }) => {
      expect(await runBundle(deployed, name, url)).toEqual(bundleAnswer)
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
