import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'

const roots = ['packages', 'apps', 'examples', 'bench', 'chaos', 'infra', 'tooling']

/** Matches files that use a database or another process, or that measure seconds of processor time. */
const needsResources =
  /\b(acquireServer|offerSharedServer|createTestDatabases?|createEmptyDatabases|startEmbeddedPostgres|runRow|runCompare|pg\.(Pool|Client)|processorMs)\b|node:child_process/

/** The folders that contain tests and sources. */
export function unitTestRoots(repository) {
  return roots.map((root) => path.join(repository, root))
}

/**
 * The test files that need only their own process: neither they nor the support files that they import use a database or start a
 * process.
 */
export function unitTests(repository) {
  return unitTestRoots(repository)
    .flatMap(testFiles)
    .filter((file) => !usesResources(file, new Set()))
}

/** The test files in the `test` folders of the packages. Only these folders are read recursively, to avoid pnpm's links. */
function testFiles(root) {
  const packages = readdirSync(root, { withFileTypes: true }).filter((entry) => entry.isDirectory())
  return [root, ...packages.map(({ name }) => path.join(root, name))]
    .map((folder) => path.join(folder, 'test'))
    .filter((folder) => existsSync(folder))
    .flatMap((folder) => readdirSync(folder, { recursive: true }).map((file) => path.join(folder, file)))
    .filter((file) => file.endsWith('.test.ts'))
}

function usesResources(file, visited) {
  if (visited.has(file)) return false
  visited.add(file)
  const text = readFileSync(file, 'utf8')
  return (
    needsResources.test(text) || supportFilesOf(file, text).some((support) => usesResources(support, visited))
  )
}

/** The files that a file imports by relative path, except sources of packages. */
function supportFilesOf(file, text) {
  return [...text.matchAll(/from '(\.[^']+)'/g)]
    .map(([, specifier]) => path.resolve(path.dirname(file), specifier))
    .filter((imported) => !imported.includes(`${path.sep}src${path.sep}`) && imported.endsWith('.ts'))
}
