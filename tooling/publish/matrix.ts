import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { createTestDatabase } from '@queue/testing'
import { publishedPackages } from '../packages/published-packages.ts'
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
import {
  compileApplication,
  entriesModule,
  entriesOf,
  refusalOf,
  type Way,
  ways,
} from '../packages/typescript-ways.ts'
import { peerVersions } from './range-ends.ts'
import { emptyProject, newcomer, npmInstall, print, run, type Trial } from './trial.ts'

/** The compilers at both ends of the supported range, by the name under which they are installed. */
const compilers = { 'typescript-oldest': '5.9.3', 'typescript-newest': '7.0.2' }

/**
 * Compiles a worker that imports every entry of every library, in each way of each compiler. Runs what the compiler wrote, and builds
 * and runs each bundle of docs/bundling.md from it.
 */
export async function tryMatrix(trial: Trial): Promise<void> {
  const project = await installAll(trial)
  const matrix = await createMatrix(trial, project)
  for (const [compiler, version] of Object.entries(compilers)) {
    for (const way of ways) await tryWay(matrix, way, { compiler, version })
  }
}

interface Matrix {
  readonly project: string
  /** The files of the application in TypeScript. */
  readonly files: Readonly<Record<string, string>>
  /** The files that build the bundles. */
  readonly builds: Readonly<Record<string, string>>
  /** What the application prints: the names of all exports, and what its work gave. */
  readonly answers: readonly unknown[]
  /** The way whose output was bundled, by a digest of that output. */
  readonly bundled: Map<string, string>
}

/** Installs every library with compilers and bundlers. Resolves with the project. */
async function installAll(trial: Trial): Promise<string> {
  const project = await emptyProject(trial, 'all')
  const libraries = (await publishedPackages(trial.root)).filter(({ isLibrary }) => isLibrary)
  const { devDependencies } = JSON.parse(
    await readFile(path.join(trial.root, 'tooling/package.json'), 'utf8'),
  ) as { readonly devDependencies: Readonly<Record<string, string>> }
  await run(project, await newcomer(trial, 'matrix'), [
    ...npmInstall,
    ...libraries.map(({ name }) => name),
    ...peerVersions.newest,
    '@types/node@24',
    ...['esbuild', 'rolldown', 'webpack'].map((name) => `${name}@${devDependencies[name]}`),
    ...Object.entries(compilers).map(([name, version]) => `${name}@npm:typescript@${version}`),
  ])
  return project
}

async function createMatrix({ root }: Trial, project: string): Promise<Matrix> {
  const libraries = (await publishedPackages(root)).filter(({ isLibrary }) => isLibrary)
  const entries = (await Promise.all(libraries.map(({ name }) => entriesOf(project, name)))).flat()
  const program = `import './entries.js'\n${await programToBundle(root)}`
  const files = { 'entries.ts': entriesModule(entries), 'worker.ts': program }
  await writeFile(path.join(project, 'entries.ts'), files['entries.ts'])
  const exported = await runProgram(project, 'entries.ts', '')
  print(`${entries.length} entries of ${libraries.length} packages`)
  return {
    project,
    files,
    builds: await buildScripts(root),
    answers: [...exported, bundleAnswer],
    bundled: new Map(),
  }
}

async function tryWay(
  matrix: Matrix,
  way: Way,
  { compiler, version }: { readonly compiler: string; readonly version: string },
): Promise<void> {
  const name = `TypeScript ${version}, ${way.moduleResolution}, ${way.system}`
  const folder = path.join(matrix.project, name.replaceAll(/[ ,]+/g, '-').toLowerCase())
  const tsc = path.join(matrix.project, 'node_modules', compiler, 'bin/tsc')
  const errors = await compileApplication({ folder, way, files: matrix.files }, tsc)
  const refusal = refusalOf(way, version)
  if (refusal !== undefined) {
    assert.ok(errors.includes(refusal.error), `${name}: expected ${refusal.error}, got ${errors}`)
    print(`${name}: impossible, ${refusal.error}: ${refusal.reason}`)
    return
  }
  assert.equal(errors, '', name)
  await onDatabase(matrix, (url) => runProgram(folder, 'worker.js', url))
  print(`${name}: compiled, run by Node, ${await tryBundles(matrix, folder, name)}`)
}

/** Compilers often write the same text in several ways. It is bundled once. */
async function tryBundles(matrix: Matrix, folder: string, name: string): Promise<string> {
  const outputs = await Promise.all(
    ['package.json', 'entries.js', 'worker.js'].map((file) => readFile(path.join(folder, file), 'utf8')),
  )
  const digest = createHash('sha256').update(outputs.join('\0')).digest('hex')
  const same = matrix.bundled.get(digest)
  if (same !== undefined) return `the same text as ${same}`
  for (const [file, text] of Object.entries(matrix.builds)) await writeFile(path.join(folder, file), text)
  for (const bundle of Object.keys(bundles) as BundleName[]) {
    const deployed = path.join(path.dirname(matrix.project), 'deployed', path.basename(folder), bundle)
    await buildBundle(folder, bundle, deployed)
    await onDatabase(matrix, (url) => runBundle(deployed, bundle, url))
  }
  matrix.bundled.set(digest, name)
  return `bundled and run: ${Object.keys(bundles).join(', ')}`
}

async function onDatabase(
  { answers }: Matrix,
  program: (databaseUrl: string) => Promise<unknown[]>,
): Promise<void> {
  const database = await createTestDatabase({ schema: 'elsewhere' })
  try {
    assert.deepEqual(await program(database.url), answers)
  } finally {
    await database.close()
  }
}
