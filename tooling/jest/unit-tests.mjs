import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'

const roots = ['packages', 'apps', 'examples', 'bench', 'chaos', 'infra', 'tooling']

/** By what a test reaches a database or another process, or measures what takes seconds of processor time. */
const needs =
  /\b(acquireServer|offerSharedServer|createTestDatabases?|createEmptyDatabases|startEmbeddedPostgres|runRow|runCompare|pg\.(Pool|Client)|processorMs)\b|node:child_process/

/** The folders below which our tests and sources are. */
export function unitTestRoots(repository) {
  return roots.map((root) => path.join(repository, root))
}

/**
 * The test files that need nothing but this process: neither they nor what they import of the tests' own support reach a
 * database or start a process.
 */
export function unitTests(repository) {
  return unitTestRoots(repository)
    .flatMap(testFiles)
    .filter((file) => !reaches(file, new Set()))
}

/** Those of a package's `test` folder. No folder above it is read recursively: that would follow every link of pnpm's. */
function testFiles(root) {
  const packages = readdirSync(root, { withFileTypes: true }).filter((entry) => entry.isDirectory())
  return [root, ...packages.map(({ name }) => path.join(root, name))]
    .map((folder) => path.join(folder, 'test'))
    .filter((folder) => existsSync(folder))
    .flatMap((folder) => readdirSync(folder, { recursive: true }).map((file) => path.join(folder, file)))
    .filter((file) => file.endsWith('.test.ts'))
}

function reaches(file, seen) {
  if (seen.has(file)) return false
  seen.add(file)
  const text = readFileSync(file, 'utf8')
  return needs.test(text) || supportOf(file, text).some((support) => reaches(support, seen))
}

/** What a file imports that is no source of a package. */
function supportOf(file, text) {
  return [...text.matchAll(/from '(\.[^']+)'/g)]
    .map(([, specifier]) => path.resolve(path.dirname(file), specifier))
    .filter((imported) => !imported.includes(`${path.sep}src${path.sep}`) && imported.endsWith('.ts'))
}
