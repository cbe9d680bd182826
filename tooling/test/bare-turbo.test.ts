import { execFile } from 'node:child_process'
import { access, mkdir, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { eventually } from '@queue/dev-postgres'
import { plannedTasks } from '../planned-tasks.ts'
import { readCounts } from '../test-run/counts.ts'

const repository = path.resolve(import.meta.dirname, '..', '..')
/** Two packages with few tests, all on a database. */
const packages = ['@queue/test-database', '@queue/testing']
/**
 * No argument for jest: turbo counts it among the inputs of the builds before the tests, and would build again, below the tests of
 * other packages that run meanwhile.
 */
const command = ['turbo', 'test', ...packages.map((name) => `--filter=${name}`), '--ui=stream']

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

test('`npx turbo test` of some packages takes the builds of all', async () => {
  const builds = async (args: string[]) =>
    (await plannedTasks(args))
      .filter(({ task }) => task === 'build')
      .map(({ directory, hash }) => `${directory} ${hash}`)
  const needed = await builds(command.slice(1))
  expect(needed).not.toEqual([])
  expect(await builds(['test'])).toEqual(expect.arrayContaining(needed))
})

test('`npx turbo test` tests packages on one server, which ends when nobody uses it', async () => {
  const counts = path.join(folder, 'counts')
  const env = { ...bareEnvironment(), TEST_COUNTS_DIR: counts, QUEUE_TEST_SERVER_IDLE_MS: '2000' }
  const { stdout } = await promisify(execFile)('npx', command, { cwd: repository, env })
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
