import { mkdir, mkdtemp, readFile, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, test } from '@jest/globals'
import { createTestDatabase } from '@queue/testing'
import { blocksFor, blocksOf, managersOf, runGuide } from '../guide/run-guide.ts'
import { createConsumer } from '../packages/create-consumer.ts'
import { packPackages } from '../packages/pack-packages.ts'

const root = path.resolve(import.meta.dirname, '..', '..')
const blocks = blocksOf(await readFile(path.join(root, 'docs/guide.md'), 'utf8'))
const peers = Object.fromEntries(
  ['kysely', 'pg', 'zod'].map((name) => [name, path.join(root, 'tooling/node_modules', name)]),
)

/** Links the commands of the packages as npm does. */
async function linkCommands(directory: string): Promise<void> {
  const bin = path.join(directory, 'node_modules/.bin')
  await mkdir(bin, { recursive: true })
  await symlink('../@queue/migrate-app/dist/main.js', path.join(bin, 'queue-migrate'))
}

test('the guide leads from an empty folder to a job that has run, from ES modules and by require', async () => {
  const directory = await mkdtemp(path.join(tmpdir(), 'queue-guide-'))
  const database = await createTestDatabase({ schema: 'elsewhere' })
  try {
    const tarballs = path.join(directory, 'tarballs')
    const project = path.join(directory, 'project')
    await mkdir(tarballs)
    await mkdir(project)
    const packages = await packPackages(root, tarballs)
    await createConsumer({ root, packages, directory: project, peers, files: {} })
    await linkCommands(project)
    const env = { ...process.env, DATABASE_URL: database.url, NODE_OPTIONS: '', NODE_TEST_CONTEXT: undefined }
    // The installation needs a registry, so only `pnpm try:install` runs it. Here the packages come from tarballs.
    const output = await runGuide({ blocks: blocksFor(blocks), directory: project, env })
    expect(output).toContain('sending invoice i_1 to ann@example.com')
    expect(output).toContain("succeeded { sent: 'i_1' }")
    expect(output).toContain("succeeded { sent: 'r_1' }")
    expect(output).toMatch(/pass 1\n/)
  } finally {
    await database.close()
    await rm(directory, { recursive: true, force: true })
  }
})

test('the guide installs with each package manager in a block of its own', () => {
  const managers = managersOf(blocks)
  expect(managers).toEqual(['npm', 'pnpm', 'Yarn 4', 'Yarn 1', 'Bun'])
  for (const manager of managers) {
    expect(blocksFor(blocks, manager).length).toBe(blocksFor(blocks).length + 1)
  }
})

test('a block that cannot be carried out is reported', () => {
  expect(() => blocksOf('```js\nconst x = 1\n```\n')).toThrow('neither commands nor a named file')
})
