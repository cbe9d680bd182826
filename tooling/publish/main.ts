/**
 * `pnpm publish:try`: publishes every package to a temporary registry on this machine, installs them with npm in an empty project
 * outside of the workspace, compiles and runs it, and carries out docs/guide.md in an empty folder. Needs a network, because npm
 * downloads all other packages.
 */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { createTestDatabase } from '@queue/testing'
import { blocksOf, runGuide } from '../guide/run-guide.ts'
import { publishedPackages } from '../packages/published-packages.ts'
import { startLocalRegistry } from './local-registry.ts'

const root = path.resolve(import.meta.dirname, '..', '..')

/** The project's peer dependencies: both ends of the supported ranges. */
const peerVersions = {
  newest: ['zod@4', 'pg@8', 'kysely@0.29'],
  oldest: ['zod@4.0.0', 'pg@8.11.0', 'kysely@0.28.0'],
}

/** The documentation promises less than five minutes. */
const guideSecondsMax = 300

const directory = await mkdtemp(path.join(tmpdir(), 'queue-publish-'))
try {
  const registry = await startLocalRegistry(path.join(directory, 'registry'))
  try {
    const env = { ...process.env, npm_config_userconfig: await userConfig(registry.url) }
    await publish(env)
    for (const [end, peers] of Object.entries(peerVersions)) {
      await installAndRun(path.join(directory, end), peers, env)
      print(`installed, compiled and run with ${peers.join(', ')}`)
    }
    await followGuide(path.join(directory, 'guide'), env)
  } finally {
    await registry.stop()
  }
} finally {
  await rm(directory, { recursive: true, force: true })
}

function print(line: string): void {
  process.stdout.write(`${line}\n`)
}

/** Writes an .npmrc for the registry at `url`. Resolves with its path. */
async function userConfig(url: string): Promise<string> {
  const file = path.join(directory, 'npmrc')
  await writeFile(file, `registry=${url}/\n${url.replace('http:', '')}/:_authToken=anybody\n`)
  return file
}

async function run(cwd: string, env: NodeJS.ProcessEnv, command: readonly [string, ...string[]]) {
  const [program, ...args] = command
  const { stdout } = await promisify(execFile)(program, args, { cwd, env, maxBuffer: 64 * 1024 * 1024 })
  return stdout
}

async function publish(env: NodeJS.ProcessEnv): Promise<void> {
  await run(root, env, ['pnpm', 'publish', '--recursive', '--no-git-checks'])
  for (const { name, version } of await publishedPackages(root)) {
    assert.equal((await run(directory, env, ['npm', 'view', name, 'version'])).trim(), version)
    print(`published ${name}@${version}`)
  }
}

/** Carries out every block of the guide, including the installation. */
async function followGuide(project: string, env: NodeJS.ProcessEnv): Promise<void> {
  await mkdir(project)
  const blocks = blocksOf(await readFile(path.join(root, 'docs/guide.md'), 'utf8'))
  const database = await createTestDatabase({ schema: 'elsewhere' })
  try {
    const started = performance.now()
    const guideEnv = { ...env, DATABASE_URL: database.url, NODE_OPTIONS: '' }
    const output = await runGuide({ blocks, directory: project, env: guideEnv })
    const seconds = (performance.now() - started) / 1_000
    for (const line of ["succeeded { sent: 'i_1' }", "succeeded { sent: 'r_1' }"])
      assert.ok(output.includes(line))
    assert.ok(seconds < guideSecondsMax, `the guide took ${seconds.toFixed(0)} s`)
    print(
      `followed docs/guide.md from an empty folder in ${seconds.toFixed(0)} s, with Node ${process.version}`,
    )
  } finally {
    await database.close()
  }
}

/** Installs the packages in an empty folder as the documentation describes, and compiles and runs a program. */
async function installAndRun(
  project: string,
  peers: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<void> {
  await mkdir(project)
  await writeFile(path.join(project, 'package.json'), JSON.stringify({ private: true, type: 'module' }))
  const ownPackages = ['@queue/core', '@queue/worker', '@queue/migrate-app']
  const compiler = ['typescript@5.9.3', '@types/node@24']
  await run(project, env, [
    'npm',
    'install',
    '--no-audit',
    '--no-fund',
    ...ownPackages,
    ...peers,
    ...compiler,
  ])
  for (const name of ['zod', 'pg', 'kysely']) {
    const installedCopies = JSON.parse(
      await run(project, env, ['npm', 'query', `#${name}`]),
    ) as readonly unknown[]
    // The migration runner is a program with its own dependencies. The libraries share those of the project.
    assert.ok(installedCopies.length <= 2, `${installedCopies.length} copies of ${name}`)
  }

  await copyFile(path.join(root, 'tooling/test/consumer/deliver.ts'), path.join(project, 'deliver.ts'))
  const strict = ['--strict', '--module', 'nodenext', '--target', 'es2023', '--types', 'node', '--noEmit']
  await run(project, env, ['npx', 'tsc', ...strict, 'deliver.ts'])

  const database = await createTestDatabase()
  try {
    const databaseEnv = { ...env, DATABASE_URL: database.url, QUEUE_SCHEMA: 'outside' }
    await run(project, databaseEnv, ['npx', 'queue-migrate', 'up'])
    const output = await run(project, databaseEnv, [process.execPath, 'deliver.ts'])
    assert.deepEqual(JSON.parse(output), {
      results: [null, { greeted: 2 }],
      guests: ['by kysely'],
      lost: null,
    })
  } finally {
    await database.close()
  }
}
