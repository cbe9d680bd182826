import { execFile } from 'node:child_process'
import { access, mkdir, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { eventually } from '@queue/dev-postgres'
import { readCounts } from '../test-run/counts.ts'

const repository = path.resolve(import.meta.dirname, '..', '..')
/** Packages whose tests use a database, and one quick file with such a test of each. */
const packages = ['@queue/test-database', '@queue/postgres']
const quickFiles = 'create-test-database|text-query'

let folder: string

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'turbo-'))
  await mkdir(path.join(folder, 'counts'))
})

afterEach(() => rm(folder, { recursive: true, force: true }))

/** The environment of somebody who has only just installed the dependencies. */
function bareEnvironment(): NodeJS.ProcessEnv {
  const inherited = Object.entries(process.env).filter(
    ([name]) => !/^(?:TEST_|QUEUE_TEST_|TURBO_|JEST_)/.test(name),
  )
  return { ...Object.fromEntries(inherited), TURBO_TELEMETRY_DISABLED: '1', TMPDIR: folder }
}

const exists = (file: string): Promise<boolean> =>
  access(file).then(
    () => true,
    () => false,
  )

test('`npx turbo test` tests packages on one server, which ends when nobody uses it', async () => {
  const filters = packages.map((name) => `--filter=${name}`)
  const args = ['turbo', 'test', ...filters, '--ui=stream', '--', `--testPathPatterns=${quickFiles}`]
  const counts = path.join(folder, 'counts')
  const env = { ...bareEnvironment(), TEST_COUNTS_DIR: counts, QUEUE_TEST_SERVER_IDLE_MS: '2000' }
  const { stdout } = await promisify(execFile)('npx', args, { cwd: repository, env })
  const ports = [...stdout.matchAll(/PostgreSQL for tests: .*; shared by this run, on port (\d+)/g)].map(
    ([, port]) => port,
  )
  expect(ports).toHaveLength(packages.length)
  expect(new Set(ports).size).toBe(1)
  for (const count of await readCounts(counts))
    expect(count).toMatchObject({ failed: 0, passed: expect.any(Number) })
  expect(await readdir(counts)).toHaveLength(packages.length)
  const sockets = (await readdir(folder)).filter((name) => name.endsWith('.sock'))
  expect(sockets).toHaveLength(1)
  await eventually(async () => !(await exists(path.join(folder, sockets[0] ?? ''))))
  // The server's own folder goes last.
  await eventually(async () => !(await readdir(folder)).some((name) => name.startsWith('queue-postgres-')))
})
