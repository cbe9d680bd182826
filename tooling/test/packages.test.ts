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
import { installedWith } from '../packages/installed-with.ts'
import { type PackedPackage, packPackages } from '../packages/pack-packages.ts'
import { removeOrphans } from '../packages/remove-orphans.ts'
import { compileApplication, entriesModule, entriesOf } from '../packages/typescript-ways.ts'

const root = path.resolve(import.meta.dirname, '..', '..')
const run = promisify(execFile)

const nodeModulesOf = (folder: string) => path.join(root, folder, 'node_modules')

/** The compiler and peer dependencies at both ends of the supported ranges. */
const rangeEnds = {
  oldest: {
    compiler: path.join(nodeModulesOf('tooling'), 'typescript-oldest/bin/tsc'),
    peers: {
      kysely: path.join(nodeModulesOf('tooling'), 'kysely-oldest'),
      pg: path.join(nodeModulesOf('tooling'), 'pg-oldest'),
      zod: path.join(nodeModulesOf('tooling'), 'zod-oldest'),
    },
  },
  newest: {
    compiler: path.join(nodeModulesOf('.'), 'typescript/bin/tsc'),
    peers: {
      kysely: path.join(nodeModulesOf('tooling'), 'kysely'),
      pg: path.join(nodeModulesOf('tooling'), 'pg'),
      zod: path.join(nodeModulesOf('tooling'), 'zod'),
    },
  },
}

/** The configuration of a new project, which also checks the types of its dependencies. */
const tsconfig = JSON.stringify({
  compilerOptions: {
    strict: true,
    exactOptionalPropertyTypes: true,
    skipLibCheck: false,
    target: 'es2023',
    module: 'nodenext',
    types: ['node'],
    noEmit: true,
    declaration: true,
    allowImportingTsExtensions: true,
  },
  include: ['*.ts', 'testing/*.ts'],
})

/** The samples of docs/getting-started.md that need only published packages. */
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
    const { compiler, peers } = rangeEnds[end]
    let directory: string
    beforeAll(async () => {
      directory = await mkdtemp(path.join(tmpdir(), 'queue-consumer-'))
      const [program, handler] = await Promise.all(
        ['deliver.ts', 'greet.ts'].map((name) =>
          readFile(path.join(import.meta.dirname, 'consumer', name), 'utf8'),
        ),
      )
      const own = { 'deliver.ts': program ?? '', 'greet.ts': handler ?? '' }
      const files = { 'tsconfig.json': tsconfig, ...own, ...(await guideSamples()) }
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

    test('writes exactly once as docs/getting-started.md shows it', async () => {
      const database = await createTestDatabase()
      try {
        await database.pool.query('CREATE TABLE invoices (id text PRIMARY KEY, sent_at timestamptz)')
        await database.pool.query(`INSERT INTO invoices VALUES ('i_1')`)
        const program = [
          "import { createQueue } from '@queue/core'",
          "import { worker } from './exactly-once.ts'",
          "import { sendInvoice } from './jobs.ts'",
          'const queue = createQueue({ connectionString: process.env.DATABASE_URL })',
          "const { job } = await queue.enqueue(sendInvoice, { invoice_id: 'i_1' })",
          'await worker.start()',
          'const { status, lastError } = await queue.waitFor(job, { timeoutMs: 60_000 })',
          'await worker.stop()',
          'await queue.close()',
          'console.log(status, lastError)',
        ].join('\n')
        await writeFile(path.join(directory, 'run-exactly-once.js'), program)
        const env = { DATABASE_URL: database.url, PATH: process.env['PATH'] }
        const { stdout } = await run(process.execPath, ['run-exactly-once.js'], { cwd: directory, env })
        expect(stdout).toBe('succeeded null\n')
        const { rows } = await database.pool.query('SELECT FROM invoices WHERE sent_at IS NOT NULL')
        expect(rows).toHaveLength(1)
      } finally {
        await database.close()
      }
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

/** The files in docs/testing.md, and the line in which the tests of another runner differ. */
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

test('every entry compiles for a CommonJS application of moduleResolution node10', async () => {
  const directory = await mkdtemp(path.join(tmpdir(), 'queue-node10-'))
  try {
    await createConsumer({ root, packages, directory, peers: rangeEnds.oldest.peers, files: {} })
    const libraries = packages.filter(({ isLibrary }) => isLibrary)
    const entries = (await Promise.all(libraries.map(({ name }) => entriesOf(directory, name)))).flat()
    expect(entries.length).toBeGreaterThan(25)
    const way = { system: 'CommonJS', moduleResolution: 'node10' } as const
    const application = {
      folder: path.join(directory, 'application'),
      way,
      files: { 'entries.ts': entriesModule(entries) },
    }
    expect(await compileApplication(application, rangeEnds.oldest.compiler)).toBe('')
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
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
      ...rangeEnds.newest.peers,
      jest: path.join(nodeModulesOf('.'), 'jest'),
      '@jest/globals': path.join(nodeModulesOf('.'), '@jest/globals'),
      '@swc/jest': path.join(nodeModulesOf('tooling'), '@swc/jest'),
      vitest: path.join(nodeModulesOf('tooling'), 'vitest'),
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

test('a handler is tested alone as docs/testing.md shows it', async () => {
  const directory = await mkdtemp(path.join(tmpdir(), 'queue-alone-'))
  try {
    const text = await readFile(path.join(root, 'docs/testing.md'), 'utf8')
    const code =
      /^## A handler alone\n[\s\S]*?^```ts\n(?<code>[\s\S]*?)^```/m.exec(text)?.groups?.['code'] ?? ''
    expect(code).toContain('resizer.run')
    const files = { 'alone.ts': code }
    await createConsumer({ root, packages, directory, peers: rangeEnds.newest.peers, files })
    const env = { PATH: process.env['PATH'] }
    const { stderr } = await run(process.execPath, ['alone.ts'], { cwd: directory, env })
    expect(stderr).toBe('')
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
})

test('without the optional library for containers, tests run on an embedded server', async () => {
  const directory = await mkdtemp(path.join(tmpdir(), 'queue-containers-'))
  try {
    const program = [
      "import { acquireServer } from '@queue/dev-postgres'",
      'const server = await acquireServer({ log: console.log })',
      'await server.stop()',
    ].join('\n')
    const files = { 'acquire.js': program }
    await createConsumer({ root, packages, directory, peers: rangeEnds.newest.peers, files })
    const env = { PATH: process.env['PATH'], DOCKER_HOST: 'tcp://127.0.0.1:1' }
    const { stdout } = await run(process.execPath, ['acquire.js'], { cwd: directory, env })
    expect(stdout).toMatch(
      /embedded server.*testcontainers and @testcontainers\/postgresql are not installed/,
    )
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
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
      peers: rangeEnds.newest.peers,
      files: { 'options.ts': text },
    })
    editor = openEditor(directory, ['options.ts'])
  })

  afterAll(() => rm(directory, { recursive: true, force: true }))

  /** The members that the comments of the file mark: the named ones, or the first of the line. */
  function markedMembers(): [string, number][] {
    return [...text.matchAll(/^(?<code>.*)\/\/ <-(?<names>.*)$/gm)].flatMap((line) => {
      const { code = '', names = '' } = line.groups ?? {}
      const wanted = names.trim() === '' ? [/\w+/.exec(code)?.[0] ?? ''] : names.trim().split(' ')
      return wanted.map((name): [string, number] => [name, line.index + code.lastIndexOf(name)])
    })
  }

  test('shows the documentation of an option', () => {
    expect(markedMembers().length).toBe(17)
    const undocumented = markedMembers().filter(
      ([, position]) => editor.documentationAt('options.ts', position) === '',
    )
    expect(undocumented.map(([name]) => name)).toEqual([])
  })

  test.each(['@queue/core', '@queue/executor', '@queue/worker', '@queue/outbox', '@queue/client'])(
    'shows the documentation of every option of %s',
    (module) => {
      expect(editor.undocumentedOptions(module)).toEqual([])
    },
  )

  test('finds the exports of @queue/core that its README names, their types, and no internals', async () => {
    const page = await readFile(path.join(root, 'packages/core/README.md'), 'utf8')
    const table = /## What the main entry exports\n(?<table>.*?)\n\n[^|]/s.exec(page)?.groups?.['table'] ?? ''
    const rows = table.split('\n').map((row) => row.split('|')[1] ?? '')
    const documented = rows.flatMap((cell) => [...cell.matchAll(/`(\w+)`/g)].map(([, name = '']) => name))
    const { values, strayTypes } = editor.exportsOf('@queue/core')
    expect(values.toSorted()).toEqual(documented.toSorted())
    expect(strayTypes).toEqual([])
  })

  test('finds no name of @queue/core/internal in the main entry, under that name or another', () => {
    expect(editor.sharedWith('@queue/core', '@queue/core/internal')).toEqual([])
    expect(editor.sharedWith('@queue/core', '@queue/core/plain')).toEqual(['limits'])
  })

  test('finds no internals behind the types of the main entry of @queue/core but their members and derivations', () => {
    expect(editor.usedOf('@queue/core', '@queue/core/internal').toSorted()).toEqual([
      'Column',
      'DeadLetterColumn',
      'JobOptionName',
      'JobOptionPlace',
      'KindVersion',
      'OptionIn',
      'OptionSchema',
      'OptionsIn',
      'OptionsOf',
      'StoredPayload',
    ])
  })
})

describe('the packages that an installation adds', () => {
  const namesFor = async (...names: readonly string[]) => {
    const sets = await Promise.all(names.map((name) => installedWith(path.join(root, 'packages', name))))
    return [...new Set(sets.flatMap((set) => [...set]))].sort()
  }

  test("are at most 24 for enqueueing and working, beside the application's own zod, pg and kysely", async () => {
    const names = await namesFor('core', 'worker')
    const added = names.filter((name) => !/^(?:zod|pg|kysely)@/.test(name))
    expect(added.length).toBe(names.length - 3)
    expect(added.length).toBeLessThanOrEqual(24)
  })

  test('are at most 40 for tests, without a library for containers', async () => {
    const names = await namesFor('testing')
    expect(names.length).toBeLessThanOrEqual(40)
    expect(names.filter((name) => name.includes('testcontainers'))).toEqual([])
  })
})

test('scripts have one byte for each character, so that V8 keeps them so', async () => {
  const folders = await readdir(path.join(root, 'packages'))
  const files = folders.map(async (name) => {
    const dist = path.join(root, 'packages', name, 'dist')
    const scripts = (await readdir(dist)).filter((file) => file.endsWith('.js'))
    return Promise.all(
      scripts.map(
        async (file) => [`${name}/${file}`, await readFile(path.join(dist, file), 'utf8')] as const,
      ),
    )
  })
  const texts = (await Promise.all(files)).flat()
  expect(texts.filter(([, text]) => /[\u0100-\uFFFF]/.test(text)).map(([file]) => file)).toEqual([])
  // Texts have other characters all the same.
  expect(texts.some(([, text]) => text.includes(String.raw`\u2026`))).toBe(true)
})

test('only built files that belong to no source any more are removed', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'queue-orphans-'))
  try {
    const types = (name: string) => [`${name}.d.ts`, `${name}.d.ts.map`]
    const script = (name: string) => [`${name}.js`, `${name}.js.map`]
    const kept = [...types('deep/here'), ...script('index'), ...script('thread'), ...script('chunk-new')]
    const others = ['.tsbuildinfo', 'data.json']
    await mkdir(path.join(folder, 'src/deep'), { recursive: true })
    await mkdir(path.join(folder, 'dist/deep'), { recursive: true })
    await writeFile(path.join(folder, 'src/deep/here.ts'), '')
    const manifest = { exports: './dist/index.js', scripts: { build: 'bundle src/deep/thread.ts' } }
    await writeFile(path.join(folder, 'package.json'), JSON.stringify(manifest))
    for (const name of [
      ...kept,
      ...others,
      ...types('gone'),
      ...script('chunk-old'),
      ...script('chunk-older'),
    ])
      await writeFile(path.join(folder, 'dist', name), '')
    await writeFile(path.join(folder, 'dist/index.js'), "import './chunk-new.js'")
    await writeFile(path.join(folder, 'dist/chunk-old.js'), "import './chunk-older.js'")
    await removeOrphans(folder)
    const remaining = await readdir(path.join(folder, 'dist'), { recursive: true })
    expect(remaining.sort()).toEqual(['deep', ...kept, ...others].sort())
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
})

describe('the content of a package', () => {
  const source = { name: 'src/a.ts', text: '' }
  const licence = { name: 'LICENSE', text: '' }
  const map = (...sources: string[]) => ({ name: 'dist/a.js.map', text: JSON.stringify({ sources }) })

  test('is accepted if the source of each map is included', () => {
    expect(findContentFaults([licence, source, map('../src/a.ts')])).toEqual([])
  })

  test.each([
    ['a map whose source is missing', [map('../src/a.ts')]],
    ['a file that only the compiler of this repository uses', [{ name: 'dist/.tsbuildinfo', text: '{}' }]],
    ['tests', [{ name: 'test/a.test.ts', text: '' }]],
  ])('is reported for %s', (_description, files) => {
    expect(findContentFaults([licence, ...files])).toHaveLength(1)
  })

  test('is reported without a licence', () => {
    expect(findContentFaults([source])).toEqual(['the package has no LICENSE'])
  })
})
