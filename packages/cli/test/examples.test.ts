import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createKey, mintKey } from '@queue/admin'
import { databaseOf } from '@queue/core/internal'
import { builtInJobs } from '@queue/core'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { compileCache, eventually, insertJob, insertWorker } from '@queue/test-database'
import { program } from '../src/program.ts'
import { createWorld, type World } from './support/world.ts'

const { commands, globalOptions } = program
const main = new URL('../src/main.ts', import.meta.url).pathname
const flags = ['--conditions=@queue/source', '--disable-warning=ExperimentalWarning']
const page = new URL('../../../docs/cli.md', import.meta.url)

let world: World
let directory: string
/** The environment of a shell whose `queue` is this command, over the API. */
let env: Record<string, string>

beforeAll(async () => {
  world = await createWorld()
  await world.database.pool.query(`INSERT INTO ${world.database.schema}.queues (name) VALUES ('mail')`)
  await insertWorker(world.database, { queues: ['mail'] })
  directory = await mkdtemp(path.join(tmpdir(), 'queue-cli-'))
  const script = `#!/bin/sh\nexec '${process.execPath}' ${flags.join(' ')} '${main}' "$@"\n`
  await writeFile(path.join(directory, 'queue'), script)
  await chmod(path.join(directory, 'queue'), 0o755)
  await writeFile(
    path.join(directory, 'welcome.json'),
    '{"to":"ada@example.com","subject":"Welcome","body":"Hello."}',
  )
  await writeFile(path.join(directory, 'kinds.js'), kindsModule)
  await writeFile(path.join(directory, 'kinds.json'), JSON.stringify({ kinds: [invoice] }))
  await writeFile(path.join(directory, 'schedules.json'), JSON.stringify(schedulesFile))
  const at = new Date().toISOString()
  const moved = { previous: [{ id: crypto.randomUUID(), run_at: at, changed_at: at }] }
  await writeFile(path.join(directory, 'moved.json'), JSON.stringify(moved))
  const cancelled = { cancelled: [{ id: crypto.randomUUID(), status: 'queued', changed_at: at }] }
  await writeFile(path.join(directory, 'cancelled.json'), JSON.stringify(cancelled))
  const requeued = { requeued: [{ id: crypto.randomUUID(), changed_at: at }] }
  await writeFile(path.join(directory, 'requeued.json'), JSON.stringify(requeued))
  env = { ...world.env.api, ...compileCache, PATH: `${directory}:${process.env['PATH'] ?? ''}` }
  await writeFile(path.join(directory, 'key.txt'), `${env['QUEUE_API_KEY']}\n`)
  // The examples name files of the folder that they are run in.
  process.chdir(directory)
})

const summary = { kind: 'summarize_text', payload: { text: 'A long story.' }, every_ms: 60_000 }
const schedulesFile = { source: 'billing', revision: 1, schedules: [{ ...summary, name: 'billing-summary' }] }

/** A folder outside the repository has no packages, so it names them by their addresses. */
const kindsModule = `import { defineJob } from '${import.meta.resolve('@queue/core')}'
import { z } from '${import.meta.resolve('zod')}'
export const greet = defineJob({ kind: 'greet', payload: z.object({ name: z.string() }) })`

const invoice = { kind: 'send_invoice', payload_schema: { type: 'object' } }

/** The schedule of the examples, whatever the one before has made of it. */
async function makeNightly(): Promise<void> {
  const { queue } = world.database
  if ((await queue.schedules.get('nightly-report')) !== undefined) return
  const timing = { cron: '0 2 * * 1-5', timeZone: 'Europe/Berlin' }
  const [sendEmail] = builtInJobs
  const payload = { to: 'ada@example.com', subject: 'Report', body: 'It is attached.' }
  await queue.schedules.create({ ...timing, name: 'nightly-report', definition: sendEmail, payload })
}

afterAll(async () => {
  process.chdir(import.meta.dirname)
  await world.close()
  await rm(directory, { recursive: true, force: true })
})

interface Shell {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

function shell(line: string, extra: Readonly<Record<string, string>> = {}): Promise<Shell> {
  return new Promise((resolve) => {
    const options = { cwd: directory, env: { ...env, ...extra } }
    execFile('bash', ['-euo', 'pipefail', '-c', line], options, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr })
    })
  })
}

/** What a shell does with more than words: pipes, files and the output of a command. */
const shellSyntax = /[|<>]/

/**
 * Runs a command in this process, on the words that a shell makes of the line: a process for each of them would take most of
 * the time of these tests.
 */
async function runWords(line: string): Promise<Shell> {
  const { stdout } = await shell(`queue() { printf '%s\\0' "$@"; }; ${line}`)
  // Both are configured, as for an operator: a command chooses the database if it does more there.
  return world.run('api', stdout.split('\0').slice(0, -1), { env: world.env.database })
}

/** What stands for the words in capitals of an example. */
async function idsFor(line: string): Promise<Record<string, string>> {
  const { database } = world
  const status = /cancel|run-now|edit/.test(line)
    ? 'queued'
    : line.includes('requeue ID')
      ? 'cancelled'
      : 'succeeded'
  const jobs = [await insertJob(database, { status }), await insertJob(database, { status })]
  const failed = await insertJob(database, { status: 'failed_permanent', kind: 'send_email', queue: 'mail' })
  const { deadLetters } = await database.queue.deadLetters.list()
  const key = mintKey()
  await createKey(databaseOf(database.queue), key, {
    name: 'shop',
    role: 'read',
  })
  const { nextCursor } = await database.queue.list({ status: 'succeeded', limit: 1 })
  const operationOf = async (): Promise<string> => {
    const result = await database.queue.many.delete({ queue: 'none' })
    return result.outcome === 'operation' ? result.operation.id : ''
  }
  const ended = await operationOf()
  await database.pool.query(
    `UPDATE ${database.schema}.operations SET state = 'succeeded', finished_at = now() WHERE id = $1`,
    [ended],
  )
  return {
    OPERATION_ID: await operationOf(),
    ENDED_OPERATION_ID: ended,
    ID: jobs[0]?.id ?? '',
    ID_2: jobs[1]?.id ?? '',
    DEAD_LETTER_ID: deadLetters.find(({ jobId }) => jobId === failed.id)?.id ?? '',
    KEY_ID: key.id,
    CURSOR: nextCursor ?? '',
  }
}

async function runExample(line: string): Promise<Shell> {
  const ids = await idsFor(line)
  await makeNightly()
  const databaseUrl = new URL(world.env.database['DATABASE_URL'] ?? '')
  const withoutPassword = new URL(databaseUrl)
  withoutPassword.password = ''
  // The page shows addresses that are not those of the test.
  const placed = line
    .replaceAll(
      /(?<![\w-])(?:ID|ID_2|DEAD_LETTER_ID|KEY_ID|OPERATION_ID|ENDED_OPERATION_ID|CURSOR)\b/g,
      (name) => ids[name] ?? name,
    )
    .replaceAll('https://queue.example', world.env.api['QUEUE_API_URL'] ?? '')
    .replaceAll('postgres://operator@db.example/app', withoutPassword.href)
  if (!shellSyntax.test(placed) && !placed.includes('--database')) return runWords(placed)
  // The password is in no line, and libpq's variable is that of a process.
  return shell(placed, { PGPASSWORD: databaseUrl.password })
}

const helpExamples = commands.flatMap(({ examples }) => examples.map(({ line }) => line))

describe('every example', () => {
  test.each(helpExamples)('of --help runs: %s', async (line) => {
    expect(await runExample(line)).toMatchObject({ code: 0 })
  })

  test('of docs/cli.md runs', async () => {
    const text = await readFile(page, 'utf8')
    const blocks = [...text.matchAll(/^```sh\n([\s\S]*?)^```/gm)].map(([, block = '']) => block)
    const lines = blocks.flatMap((block) => block.split('\n')).map((line) => line.replace(/ +# .*$/, ''))
    const untried = lines.filter(
      (line) => line !== '' && !line.startsWith('#') && !helpExamples.includes(line),
    )
    expect(untried.length).toBeGreaterThan(0)
    for (const line of untried) expect({ line, ...(await runExample(line)) }).toMatchObject({ line, code: 0 })
  })

  test('is shown by the help of its command, and each command has one', async () => {
    for (const { name, examples } of commands) {
      expect(examples.length).toBeGreaterThan(0)
      const { stdout } = await world.run('api', [...name.split(' '), '--help'])
      for (const { line } of examples) expect(stdout).toContain(line)
    }
    expect((await world.run('api', ['help', 'dead-letters'])).stdout).toContain('dead-letters requeue')
    expect((await world.run('api', [])).stdout).toContain('Usage: queue COMMAND')
  })
})

describe('completion for bash', () => {
  const complete = async (typed: string): Promise<string[]> => {
    const words = typed.split(' ')
    const quoted = words.map((word) => `'${word}'`).join(' ')
    const script = `source <(queue completion bash); COMP_WORDS=(${quoted}); COMP_CWORD=${words.length - 1}; _queue || true; printf '%s\\n' "\${COMPREPLY[@]}"`
    const { stdout } = await shell(script)
    return stdout.split('\n').filter((word) => word !== '')
  }

  test('offers commands, options and the values of options', async () => {
    const first = [...new Set(commands.map(({ name }) => name.split(' ')[0]))]
    expect(await complete('queue ')).toEqual(first)
    expect(await complete('queue dead-letters re')).toEqual(['requeue'])
    expect(await complete('queue list --sta')).toEqual(['--status'])
    expect(await complete('queue list --status c')).toEqual(['cancelled'])
    expect(await complete('queue completion ')).toEqual(['bash', 'zsh', 'fish'])
    expect(await complete('queue --api http://localhost workers --key-file wel')).toEqual(['welcome.json'])
    expect(await complete('queue keys list --')).toEqual(
      Object.keys(globalOptions).map((name) => `--${name}`),
    )
  })

  test('of every shell names every command and option', async () => {
    for (const name of ['bash', 'zsh', 'fish']) {
      const { stdout } = await world.run('api', ['completion', name])
      for (const command of commands) {
        for (const word of [...command.name.split(' '), ...Object.keys(command.options)]) {
          expect(stdout).toContain(word)
        }
      }
    }
  })
})

describe('a process', () => {
  test('that follows a job ends at Ctrl-C with 130, and the job goes on', async () => {
    const { id } = await insertJob(world.database, { queue: 'apart' })
    for (const backend of ['api', 'database'] as const) {
      const child = spawn(process.execPath, [...flags, main, 'follow', id], {
        env: { ...compileCache, PATH: env['PATH'], ...world.env[backend] },
        stdio: ['ignore', 'pipe', 'pipe'],
      })
      const ended = once(child, 'close')
      await once(child.stdout, 'data')
      child.kill('SIGINT')
      expect(await ended).toEqual([130, null])
    }
    expect((await world.database.queue.get(id))?.status).toBe('queued')
  })

  test('whose slow reader lets it wait prints the cursor at Ctrl-C', async () => {
    const payload = { text: 'x'.repeat(100_000) }
    for (let count = 0; count < 3; count += 1) await insertJob(world.database, { queue: 'slow', payload })
    const child = spawn(process.execPath, [...flags, main, 'export', 'jobs', '--queue', 'slow'], {
      env: { ...compileCache, PATH: env['PATH'], ...world.env.database },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const ended = once(child, 'close')
    let output = ''
    let errors = ''
    child.stderr.on('data', (chunk) => (errors += String(chunk)))
    await once(child.stdout, 'readable')
    child.kill('SIGINT')
    await eventually(() => errors.includes('stopped after 3'), { what: 'the remark that it has stopped' })
    child.stdout.on('data', (chunk) => (output += String(chunk)))
    expect(await ended).toEqual([130, null])
    expect(
      output
        .trim()
        .split('\n')
        .map((line) => (JSON.parse(line) as { queue: string }).queue),
    ).toEqual(Array.from({ length: 3 }, () => 'slow'))
  })

  test('whose reader has seen enough ends without a word', async () => {
    const ran = await shell(
      'set +o pipefail; queue export jobs | head -n 1 > one.ndjson; echo "${PIPESTATUS[0]}"',
    )
    expect(ran).toMatchObject({ code: 0, stdout: '0\n' })
    expect(await readFile(path.join(directory, 'one.ndjson'), 'utf8')).toMatch(/^\{.*\}\n$/)
  })

  test('says what is wrong, and what to do, with the code of docs/cli.md', async () => {
    expect(await shell('queue lst')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('queue --help'),
    })
    const unreachable = { QUEUE_API_URL: '', DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none' }
    expect(await shell('queue workers', unreachable)).toMatchObject({ code: 7 })
    expect((await shell('queue --version')).stdout).toMatch(/^\d+\.\d+\.\d+\n$/)
  })
})
