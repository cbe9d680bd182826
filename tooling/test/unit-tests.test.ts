import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { unitTestRoots, unitTests } from '../jest/unit-tests.mjs'

const repositoryRoot = path.resolve(import.meta.dirname, '..', '..')
const files = {
  'packages/a/test/pure.test.ts': `import { wait } from '../src/wait.ts'\n`,
  'packages/a/test/deep/pure.test.ts': `import { two } from '../support/two.ts'\n`,
  'packages/a/test/support/two.ts': 'export const two = 2\n',
  'packages/a/test/server.test.ts': 'const server = await acquireServer()\n',
  'packages/a/test/process.test.ts': `import { spawn } from 'node:child_process'\n`,
  'packages/a/test/world.test.ts': `import { openWorld } from './support/world.ts'\n`,
  'packages/a/test/support/world.ts': `export { openWorld } from './database.ts'\n`,
  'packages/a/test/support/database.ts': 'export const openWorld = () => createTestDatabase()\n',
  'packages/a/src/wait.ts': '',
  'packages/a/node_modules/b/test/other.test.ts': '',
  'chaos/test/pure.test.ts': '',
}
let repository: string

beforeAll(async () => {
  repository = await mkdtemp(path.join(tmpdir(), 'unit-tests-'))
  for (const root of unitTestRoots(repository)) await mkdir(root)
  for (const [name, text] of Object.entries(files)) {
    await mkdir(path.dirname(path.join(repository, name)), { recursive: true })
    await writeFile(path.join(repository, name), text)
  }
})

afterAll(() => rm(repository, { recursive: true, force: true }))

test('a unit test uses neither a database nor a process, not even in its support files', () => {
  expect(
    unitTests(repository)
      .map((file) => path.relative(repository, file))
      .toSorted(),
  ).toEqual(['chaos/test/pure.test.ts', 'packages/a/test/deep/pure.test.ts', 'packages/a/test/pure.test.ts'])
})

test('each folder of code has unit tests', () => {
  const folders = new Set(
    unitTests(repositoryRoot).map((file) => path.relative(repositoryRoot, file).split(path.sep)[0]),
  )
  expect(folders).toEqual(new Set(['apps', 'bench', 'chaos', 'examples', 'infra', 'packages', 'tooling']))
})
