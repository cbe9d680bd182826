import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from '@jest/globals'
import { createTestRoles } from '@queue/dev-postgres'
import { createTestDatabase, type TestDatabase } from '@queue/testing'

const root = path.resolve(import.meta.dirname, '..', '..')
const textOf = (file: string) => readFile(path.join(root, file), 'utf8')

/** The commands and statements of a page, in their order. */
async function blocksOf(page: string) {
  const blocks = (await textOf(page)).matchAll(/^```(?<language>\w+)\n(?<text>.*?)^```/gms)
  return [...blocks].map(({ groups }) => ({ language: groups?.['language'], text: groups?.['text'] ?? '' }))
}

/** The programs that the pages call. */
const programs = { queue: 'packages/cli/dist/main.js', 'queue-migrate': 'apps/migrate/dist/main.js' }

interface Run {
  readonly database: TestDatabase
  readonly env: Readonly<Record<string, string>>
  readonly directory: string
}

async function runCommands(commands: string, { database, env, directory }: Run): Promise<string> {
  const functions = Object.entries(programs).map(
    ([name, file]) => `${name}() { '${process.execPath}' '${path.join(root, file)}' "$@"; }`,
  )
  const script = ['set -e', ...functions, commands].join('\n')
  const { stdout } = await promisify(execFile)('bash', ['-c', script], {
    cwd: directory,
    env: { PATH: process.env['PATH'], DATABASE_URL: database.url, ...env },
  })
  return stdout
}

async function inFolder(work: (directory: string) => Promise<void>): Promise<void> {
  const directory = await mkdtemp(path.join(tmpdir(), 'queue-pages-'))
  try {
    await work(directory)
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}

/** The roles with their default names in the pages. A test needs other names, because roles belong to the whole server. */
const roles = {
  queue: ['api', 'worker', 'readonly', 'enqueue', 'functions', 'api_tenant'],
  outbox: ['publisher', 'relay', 'readonly'],
}
const defaultNames = Object.entries(roles).flatMap(([schema, names]) =>
  names.map((name) => `${schema}_${name}`),
)

test('the blocks of docs/remove.md remove everything of the queue, and nothing of the application', async () => {
  const testRoles = await createTestRoles(defaultNames)
  const names = testRoles.names()
  const database = await createTestDatabase()
  try {
    const env = Object.fromEntries(
      Object.entries(names).map(([name, own]) => [name.replace('_', '_role_').toUpperCase(), own]),
    )
    await inFolder(async (directory) => {
      const run = { database, env, directory }
      await runCommands('queue-migrate roles; queue-migrate outbox up; queue-migrate outbox roles', run)
      await database.pool.query('CREATE TABLE public.invoices (id text)')
      await database.pool.query(`INSERT INTO queue.jobs (id, kind, queue, payload)
        VALUES ('01900000-0000-7000-8000-000000000000', 'probe', 'default', '{}')`)
      const blocks = await blocksOf('docs/remove.md')
      expect(blocks.map(({ language }) => language)).toEqual(['sh', 'sh', 'sql', 'sql'])
      for (const { language, text } of blocks) {
        const named = defaultNames.reduce(
          (sql, name) => sql.replaceAll(new RegExp(`\\b${name}\\b`, 'g'), names[name] ?? ''),
          text,
        )
        if (language === 'sh') await runCommands(text, run)
        else await database.pool.query(named)
      }
      expect(await readFile(path.join(directory, 'jobs.ndjson'), 'utf8')).toContain('01900000-0000-7000-8000')
    })
    const objects = `SELECT nspname, relname FROM pg_class JOIN pg_namespace AS n ON n.oid = relnamespace
      WHERE nspname NOT LIKE 'pg\\_%' AND nspname <> 'information_schema'`
    expect((await database.pool.query(objects)).rows).toEqual([{ nspname: 'public', relname: 'invoices' }])
    const schemas = `SELECT nspname FROM pg_namespace WHERE nspname IN ('queue', 'outbox')`
    expect((await database.pool.query(schemas)).rows).toEqual([])
    const left = await database.pool.query('SELECT rolname FROM pg_roles WHERE rolname = ANY($1)', [
      Object.values(names),
    ])
    expect(left.rows).toEqual([])
  } finally {
    await database.close()
    await testRoles.close()
  }
})

test('the blocks of docs/upgrade.md run, also where there is nothing to upgrade', async () => {
  const database = await createTestDatabase()
  try {
    await inFolder(async (directory) => {
      const blocks = await blocksOf('docs/upgrade.md')
      expect(blocks.length).toBeGreaterThan(1)
      for (const { text } of blocks) await runCommands(text, { database, env: {}, directory })
    })
  } finally {
    await database.close()
  }
})

test('every supported version is tested, and no other', async () => {
  const [page, workflow] = [await textOf('docs/support.md'), await textOf('.github/workflows/ci.yml')]
  const numbers = (text = '') => text.match(/\b\d+\b(?![.\d])/g)
  for (const name of ['Node', 'PostgreSQL']) {
    const listed = new RegExp(`^\\| ${name} \\| (?<versions>[^|]+)`, 'm').exec(page)?.groups?.['versions']
    const tested = new RegExp(`^ +${name === 'Node' ? 'node' : 'postgres'}: \\[(?<versions>.*)\\]`, 'm').exec(
      workflow,
    )
    expect(numbers(listed?.replaceAll(/\(.*?\)/g, ''))).toEqual(numbers(tested?.groups?.['versions']))
  }
})
