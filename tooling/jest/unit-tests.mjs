import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'

const roots = ['packages', 'apps', 'examples', 'bench', 'chaos', 'infra', 'tooling']

/** By what a test reaches a database or another process, or measures what takes seconds of processor time. */
const needs =
  /\b(acquireServer|offerSharedServer|createTestDatabases?|startEmbeddedPostgres|runRow|runCompare|pg\.(Pool|Client)|processorMs)\b|node:child_process/

/**
 * The test files that need nothing but this process: neither they nor what they import of the tests' own support reach a
 * database or start a process.
 */
export function unitTests(repository) {
  return roots
    .flatMap((root) => testFiles(path.join(repository, root)))
    .filter((file) => !reaches(file, new Set()))
}

function testFiles(folder) {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .map((entry) => path.join(entry.parentPath, entry.name))
    .filter((file) => file.endsWith('.test.ts') && !file.includes(`${path.sep}node_modules${path.sep}`))
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
