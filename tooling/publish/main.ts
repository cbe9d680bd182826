/**
 * `pnpm try:install`: publishes every package to a temporary registry on this machine, installs them with npm in an empty project
 * outside of the workspace, compiles and runs it, and carries out docs/guide.md in an empty folder. Then it compiles every entry in
 * every way that TypeScript resolves it, and runs each bundle of docs/bundling.md. Needs a network, because npm downloads all
 * other packages.
 */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { createTestDatabase } from '@queue/testing'
import { blocksOf, runGuide } from '../guide/run-guide.ts'
import { packPackages } from '../packages/pack-packages.ts'
import { publishedPackages } from '../packages/published-packages.ts'
import {
  buildBundle,
  bundleAnswer,
  type BundleName,
  bundles,
  filesToBundle,
  runBundle,
} from '../packages/run-bundle.ts'
import { compileImports, entriesOf, resolutions } from '../packages/type-matrix.ts'
import { startLocalRegistry } from './local-registry.ts'

const root = path.resolve(import.meta.dirname, '..', '..')

/** The project's peer dependencies: both ends of the supported ranges. */
const peerVersions = {
  newest: ['zod@4', 'pg@8', 'kysely@0.29'],
  oldest: ['zod@4.0.0', 'pg@8.11.0', 'kysely@0.28.0'],
}

/** The compilers at both ends of the supported range, by the name under which they are installed. */
const compilers = { 'typescript-oldest': '5.9.3', 'typescript-newest': '7.0.2' }

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
    const project = await installAll(path.join(directory, 'all'), env)
    await compileEntries(project)
    await runBundles(project)
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
  // This project uses the names of the repository, as its documents do, and not those of release.json.
  for (const { name, version, tarball } of await packPackages(root, directory)) {
    await run(directory, env, ['npm', 'publish', tarball])
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

  for (const name of ['deliver.ts', 'greet.ts'])
    await copyFile(path.join(root, 'tooling/test/consumer', name), path.join(project, name))
  const own = ['--noEmit', '--declaration', '--allowImportingTsExtensions']
  const strict = ['--strict', '--module', 'nodenext', '--target', 'es2023', '--types', 'node', ...own]
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

/** Installs every library with compilers and bundlers. Resolves with the project. */
async function installAll(project: string, env: NodeJS.ProcessEnv): Promise<string> {
  await mkdir(project)
  await writeFile(path.join(project, 'package.json'), JSON.stringify({ private: true, type: 'module' }))
  const libraries = (await publishedPackages(root)).filter(({ isLibrary }) => isLibrary)
  const { devDependencies } = JSON.parse(await readFile(path.join(root, 'tooling/package.json'), 'utf8')) as {
    readonly devDependencies: Readonly<Record<'esbuild' | 'webpack', string>>
  }
  await run(project, env, [
    ...(['npm', 'install', '--no-audit', '--no-fund'] as const),
    ...libraries.map(({ name }) => name),
    ...peerVersions.newest,
    '@types/node@24',
    `esbuild@${devDependencies.esbuild}`,
    `webpack@${devDependencies.webpack}`,
    ...Object.entries(compilers).map(([name, version]) => `${name}@npm:typescript@${version}`),
  ])
  return project
}

/** Compiles every entry of every library in every way that each compiler has. */
async function compileEntries(project: string): Promise<void> {
  const libraries = (await publishedPackages(root)).filter(({ isLibrary }) => isLibrary)
  const entries = (await Promise.all(libraries.map(({ name }) => entriesOf(project, name)))).flat()
  for (const [name, version] of Object.entries(compilers)) {
    const compiler = path.join(project, 'node_modules', name, 'bin/tsc')
    const known = resolutions.filter(({ moduleResolution }) => moduleResolution !== 'node10' || version < '6')
    for (const resolution of known) {
      assert.equal(await compileImports(project, compiler, { resolution, entries }), '')
      const { module, moduleResolution, extension } = resolution
      const how = `${module}, ${moduleResolution}, ${extension}`
      print(`compiled ${entries.length} entries with TypeScript ${version}: ${how}`)
    }
  }
}

async function runBundles(project: string): Promise<void> {
  for (const [name, text] of Object.entries(await filesToBundle(root)))
    await writeFile(path.join(project, name), text)
  for (const name of Object.keys(bundles) as BundleName[]) {
    const deployed = path.join(directory, 'deployed', name)
    await buildBundle(project, name, deployed)
    const database = await createTestDatabase({ schema: 'elsewhere' })
    try {
      assert.deepEqual(await runBundle(deployed, name, database.url), bundleAnswer)
    } finally {
      await database.close()
    }
    print(`built and ran the bundle ${name}`)
  }
}
