import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { createTestDatabase } from '@queue/testing'
import { samplesOf } from '../docs/samples.ts'
import { createConsumer } from '../packages/create-consumer.ts'
import { type Editor, openEditor } from '../packages/editor.ts'
import { findContentFaults } from '../packages/find-content-faults.ts'
import { type PackedPackage, packPackages } from '../packages/pack-packages.ts'
import { removeOrphans } from '../packages/remove-orphans.ts'

const root = path.resolve(import.meta.dirname, '..', '..')
const run = promisify(execFile)

const here = (folder: string) => path.join(root, folder, 'node_modules')

/** The ends of the ranges of what the application chooses. */
const ends = {
  oldest: {
    compiler: path.join(here('tooling'), 'typescript-oldest/bin/tsc'),
    peers: {
      kysely: path.join(here('tooling'), 'kysely-oldest'),
      pg: path.join(here('tooling'), 'pg-oldest'),
      zod: path.join(here('tooling'), 'zod-oldest'),
    },
  },
  newest: {
    compiler: path.join(here('.'), 'typescript/bin/tsc'),
    peers: {
      kysely: path.join(here('tooling'), 'kysely'),
      pg: path.join(here('tooling'), 'pg'),
      zod: path.join(here('tooling'), 'zod'),
    },
  },
}

/** As a new project has it, and nothing is skipped. */
const tsconfig = JSON.stringify({
  compilerOptions: {
    strict: true,
    exactOptionalPropertyTypes: true,
    skipLibCheck: false,
    target: 'es2023',
    module: 'nodenext',
    types: ['node'],
    noEmit: true,
    allowImportingTsExtensions: true,
  },
  include: ['*.ts', 'testing/*.ts'],
})

/** The samples of the guide for newcomers that need nothing but what is published. */
async function guideSamples(): Promise<Record<string, string>> {
  const samples = samplesOf({
    name: 'docs/getting-started.md',
    text: await readFile(path.join(root, 'docs/getting-started.md'), 'utf8'),
  })
  const shown = samples.filter(({ text }) => !text.includes('@queue/testing'))
  return Object.fromEntries(shown.map(({ file, text }) => [file, text]))
}

let tarballs: string
let packages: PackedPackage[]
beforeAll(async () => {
  tarballs = await mkdtemp(path.join(tmpdir(), 'queue-tarballs-'))
  packages = await packPackages(root, tarballs)
})

afterAll(() => rm(tarballs, { recursive: true, force: true }))

describe.each(['oldest', 'newest'] as const)(
  'a project outside of the workspace, with the %s peers',
  (end) => {
    const { compiler, peers } = ends[end]
    let directory: string
    beforeAll(async () => {
      directory = await mkdtemp(path.join(tmpdir(), 'queue-consumer-'))
      const program = await readFile(path.join(import.meta.dirname, 'consumer/deliver.ts'), 'utf8')
      const files = { 'tsconfig.json': tsconfig, 'deliver.ts': program, ...(await guideSamples()) }
      await createConsumer({ root, packages, directory, peers, files })
      await mkdir(path.join(directory, 'testing'))
      for (const [name, text] of Object.entries((await testingPage()).files))
        await writeFile(path.join(directory, 'testing', name), text)
    })

    afterAll(() => rm(directory, { recursive: true, force: true }))

    test('compiles with its tests, and with no types installed by hand', async () => {
      const compiled = run(process.execPath, [compiler, '--pretty', 'false'], { cwd: directory })
      const output = await compiled.then(
        ({ stdout }) => stdout,
        (error: { readonly stdout?: string }) => error.stdout,
      )
      expect(output).toBe('')
    })

    test('migrates, enqueues in its own transactions, and works', async () => {
      const database = await createTestDatabase()
      try {
        const env = { DATABASE_URL: database.url, QUEUE_SCHEMA: 'outside', PATH: process.env['PATH'] }
        const migrate = path.join('node_modules', '@queue', 'migrate-app', 'dist', 'main.js')
        await run(process.execPath, [migrate, 'up'], { cwd: directory, env })
        const { stdout } = await run(process.execPath, ['deliver.ts'], { cwd: directory, env })
        expect(JSON.parse(stdout)).toEqual({
          results: [null, { greeted: 2 }],
          guests: ['by kysely'],
          lost: null,
        })
        const queue = path.join('node_modules', '@queue', 'cli', 'dist', 'main.js')
        const listed = await run(process.execPath, [queue, 'list', '--json'], { cwd: directory, env })
        expect(JSON.parse(listed.stdout)).toMatchObject({ data: expect.any(Array), next_cursor: null })
      } finally {
        await database.close()
      }
    })
  },
)

/** The files that docs/testing.md shows, and the line by which another runner's test differs. */
async function testingPage() {
  const text = await readFile(path.join(root, 'docs/testing.md'), 'utf8')
  const blocks = [...text.matchAll(/^```[tj]s\n\/\/ (?<file>\S+)\n(?<code>.*?)^```/gms)]
  const files = Object.fromEntries(
    blocks.map(({ groups }) => [groups?.['file'] ?? '', groups?.['code'] ?? '']),
  )
  const rows = [...text.matchAll(/^\| (?<runner>Jest 30|Vitest) \| `(?<line>[^`]+)`/gm)]
  const lineOf = (runner: string, start: string): string =>
    rows.find(({ groups }) => groups?.['runner'] === runner && groups['line']?.startsWith(start))?.groups?.[
      'line'
    ] ?? ''
  return { files, lineOf }
}

const swcTransform = JSON.stringify({
  extensionsToTreatAsEsm: ['.ts'],
  transform: { '\\.ts$': ['@swc/jest', { jsc: { parser: { syntax: 'typescript' }, target: 'es2023' } }] },
})

describe('the tests of a project outside of the workspace', () => {
  const runners = {
    'node:test': ['--test'],
    'Jest 30': [
      '--experimental-vm-modules',
      'node_modules/jest/bin/jest.js',
      '--testTimeout',
      '60000',
      '--runTestsByPath',
    ],
    Vitest: ['node_modules/vitest/vitest.mjs', 'run', '--testTimeout', '60000', '--hookTimeout', '60000'],
  } as const
  const nodeTestLines = {
    'invoices.test.ts': "import { after, test } from 'node:test'",
    'invoices.test.cjs': "const { after, before, test } = require('node:test')",
  } as const
  let directory: string
  let page: Awaited<ReturnType<typeof testingPage>>
  beforeAll(async () => {
    page = await testingPage()
    directory = await mkdtemp(path.join(tmpdir(), 'queue-testing-'))
    const peers = {
      ...ends.newest.peers,
      jest: path.join(here('.'), 'jest'),
      '@jest/globals': path.join(here('.'), '@jest/globals'),
      '@swc/jest': path.join(here('tooling'), '@swc/jest'),
      vitest: path.join(here('tooling'), 'vitest'),
    }
    const files = { ...page.files, 'jest.config.json': swcTransform }
    await createConsumer({ root, packages, directory, peers, files })
  })

  afterAll(() => rm(directory, { recursive: true, force: true }))

  test.each([
    ['node:test', 'invoices.test.ts'],
    ['node:test', 'invoices.test.cjs'],
    ['Jest 30', 'invoices.test.ts'],
    ['Jest 30', 'invoices.test.cjs'],
    ['Vitest', 'invoices.test.ts'],
  ] as const)('run by %s as the page shows them: %s', async (runner, file) => {
    const nodeLine = nodeTestLines[file]
    const line = runner === 'node:test' ? nodeLine : page.lineOf(runner, nodeLine.slice(0, 6).trim())
    expect([page.files[file]?.includes(nodeLine), line]).toEqual([true, expect.stringContaining('after')])
    await writeFile(path.join(directory, file), page.files[file]?.replace(nodeLine, line) ?? '')
    const env = {
      ...process.env,
      NODE_OPTIONS: '',
      JEST_WORKER_ID: undefined,
      NO_COLOR: '1',
      FORCE_COLOR: undefined,
      NODE_TEST_CONTEXT: undefined,
    }
    const { stdout, stderr } = await run(process.execPath, [...runners[runner], file], {
      cwd: directory,
      env,
    })
    expect(`${stdout}${stderr}`).toMatch(/ℹ pass 1|Tests: +1 passed|Tests +1 passed/)
  })
})

describe('an editor, in a project outside of the workspace', () => {
  let directory: string
  let editor: Editor
  let text: string
  beforeAll(async () => {
    directory = await mkdtemp(path.join(tmpdir(), 'queue-editor-'))
    text = await readFile(path.join(import.meta.dirname, 'consumer/options.ts'), 'utf8')
    await createConsumer({
      root,
      packages,
      directory,
      peers: ends.newest.peers,
      files: { 'options.ts': text },
    })
    editor = openEditor(directory, ['options.ts'])
  })

  afterAll(() => rm(directory, { recursive: true, force: true }))

  /** The members that the comments of the file point at: those named, or the first of the line. */
  function pointedAt(): [string, number][] {
    return [...text.matchAll(/^(?<code>.*)\/\/ <-(?<names>.*)$/gm)].flatMap((line) => {
      const { code = '', names = '' } = line.groups ?? {}
      const wanted = names.trim() === '' ? [/\w+/.exec(code)?.[0] ?? ''] : names.trim().split(' ')
      return wanted.map((name): [string, number] => [name, line.index + code.lastIndexOf(name)])
    })
  }

  test('says what an option does where it is written', () => {
    expect(pointedAt().length).toBe(17)
    const silent = pointedAt().filter(([, position]) => editor.documentationAt('options.ts', position) === '')
    expect(silent.map(([name]) => name)).toEqual([])
  })

  test.each(['@queue/core', '@queue/executor', '@queue/worker', '@queue/outbox', '@queue/client'])(
    'says what every option of %s does',
    (module) => {
      expect(editor.undocumentedOptions(module)).toEqual([])
    },
  )

  test('finds in @queue/core what its page names, the types of that, and no internals', async () => {
    const page = await readFile(path.join(root, 'packages/core/README.md'), 'utf8')
    const table = /## What the main entry exports\n(?<table>.*?)\n\n[^|]/s.exec(page)?.groups?.['table'] ?? ''
    const rows = table.split('\n').map((row) => row.split('|')[1] ?? '')
    const named = rows.flatMap((cell) => [...cell.matchAll(/`(\w+)`/g)].map(([, name = '']) => name))
    const { values, strayTypes } = editor.exportsOf('@queue/core')
    expect(values.toSorted()).toEqual(named.toSorted())
    expect(strayTypes).toEqual([])
  })
})

test('what was compiled from a source that is gone goes, and nothing else', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'queue-orphans-'))
  try {
    const outputs = (name: string) =>
      ['js', 'js.map', 'd.ts', 'd.ts.map'].map((ending) => `${name}.${ending}`)
    const kept = [...outputs('deep/here'), '.tsbuildinfo', 'data.json']
    await mkdir(path.join(folder, 'src/deep'), { recursive: true })
    await mkdir(path.join(folder, 'dist/deep'), { recursive: true })
    await writeFile(path.join(folder, 'src/deep/here.ts'), '')
    for (const name of [...kept, ...outputs('gone')]) await writeFile(path.join(folder, 'dist', name), '')
    await removeOrphans(folder)
    const left = await readdir(path.join(folder, 'dist'), { recursive: true })
    expect(left.sort()).toEqual(['deep', ...kept].sort())
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
})

describe('the content of a package', () => {
  const source = { name: 'src/a.ts', text: '' }
  const map = (...sources: string[]) => ({ name: 'dist/a.js.map', text: JSON.stringify({ sources }) })

  test('is right where each map leads to a source that is there', () => {
    expect(findContentFaults([source, map('../src/a.ts')])).toEqual([])
  })

  test.each([
    ['a map to a source that is absent', [map('../src/a.ts')]],
    ['what only our compiler reads', [{ name: 'dist/.tsbuildinfo', text: '{}' }]],
    ['tests', [{ name: 'test/a.test.ts', text: '' }]],
  ])('is not with %s', (_what, files) => {
    expect(findContentFaults(files)).toHaveLength(1)
  })
})
