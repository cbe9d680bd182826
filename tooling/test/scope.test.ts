import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { createConsumer } from '../packages/create-consumer.ts'
import { type PackedPackage, packPackages } from '../packages/pack-packages.ts'
import { renameScope } from '../packages/rename-scope.ts'
import { compileApplication, entriesModule, entriesOf, ways } from '../packages/typescript-ways.ts'
import { readReleaseSettings } from '../release/release-settings.ts'

const root = path.resolve(import.meta.dirname, '..', '..')
const modules = path.join(root, 'tooling', 'node_modules')
const run = promisify(execFile)

const scope = '@somebody-else'
const publishConfig = { access: 'public', registry: 'https://npm.example/' } as const

let directory: string
let packages: PackedPackage[]
let entries: string[]
beforeAll(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'queue-scope-'))
  const tarballs = path.join(directory, 'tarballs')
  await mkdir(tarballs)
  const repository = 'https://github.com/somebody/queue'
  packages = await packPackages(root, tarballs, { scope, publishConfig, repository })
  const peers = Object.fromEntries(['kysely', 'pg', 'zod'].map((name) => [name, path.join(modules, name)]))
  await createConsumer({ root, packages, directory, peers, files: {} })
  const libraries = packages.filter(({ isLibrary }) => isLibrary)
  const all = (await Promise.all(libraries.map(({ name }) => entriesOf(directory, name)))).flat()
  // The file of a thread is an entry for bundlers, and runs only in its thread.
  entries = all.filter((entry) => !entry.endsWith('-thread'))
})

afterAll(() => rm(directory, { recursive: true, force: true }))

describe('packages that are packed in another scope', () => {
  test('name no package of the own scope in any file', async () => {
    expect(packages.length).toBeGreaterThan(10)
    const found = await run('grep', [
      '-rlE',
      '@queue[/:]',
      path.join(directory, 'node_modules', scope),
    ]).catch((error: { readonly stdout: string }) => error)
    expect(found.stdout).toBe('')
  })

  test('have the publishConfig and the repository that were chosen', async () => {
    for (const { name, folder } of packages) {
      const file = path.join(directory, 'node_modules', name, 'package.json')
      expect(JSON.parse(await readFile(file, 'utf8'))).toMatchObject({
        name,
        publishConfig,
        repository: { url: 'git+https://github.com/somebody/queue.git', directory: folder },
      })
    }
  })

  test.each([
    ['mjs', (entry: string) => `await import('${entry}')`],
    ['cjs', (entry: string) => `require('${entry}')`],
  ])('load from %s', async (extension, load) => {
    expect(entries.length).toBeGreaterThan(25)
    const file = path.join(directory, `load.${extension}`)
    await writeFile(file, [...entries.map(load), "console.log('loaded')"].join('\n'))
    expect((await run(process.execPath, [file], { cwd: directory })).stdout).toBe('loaded\n')
  })

  test.each(ways.filter(({ moduleResolution }) => moduleResolution === 'nodenext'))(
    'compile as $system',
    async (way) => {
      const compiler = path.join(root, 'node_modules/typescript/bin/tsc')
      const folder = path.join(directory, `nodenext-${way.system === 'CommonJS' ? 'cjs' : 'esm'}`)
      const files = { 'entries.ts': entriesModule(entries) }
      expect(await compileApplication({ folder, way, files }, compiler)).toBe('')
    },
  )
})

test('the scope is renamed in names only', () => {
  expect(renameScope('"@queue/core" @queue:registry pkg:npm/%40queue/core queue @queues', '@a')).toBe(
    '"@a/core" @a:registry pkg:npm/%40a/core queue @queues',
  )
})

describe('release.json', () => {
  test('has no fault', async () => {
    expect(await readReleaseSettings(root)).toMatchObject({ scope: expect.stringMatching(/^@/) })
  })

  test.each([
    { scope: 'queue' },
    { publishConfig: { access: 'open' } },
    { images: 'queue' },
    { tag: 'next' },
  ])('is refused with %j', async (fault) => {
    const folder = await mkdtemp(path.join(tmpdir(), 'queue-settings-'))
    try {
      const settings = { ...(await readReleaseSettings(root)), ...fault }
      await writeFile(path.join(folder, 'release.json'), JSON.stringify(settings))
      await expect(readReleaseSettings(folder)).rejects.toThrow('release.json: ')
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  })
})
