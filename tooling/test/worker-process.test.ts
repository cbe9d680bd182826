import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals'
import { createTestDatabase, eventually, type TestDatabase } from '@queue/testing'
import { defineJob } from '@queue/core'
import { z } from 'zod'

const root = path.resolve(import.meta.dirname, '..', '..')
const greet = defineJob({ kind: 'greet', payload: z.object({ name: z.string() }) })
/** The module that the page calls `handlers.js`. */
const handlers = `
import { defineJob } from '@queue/core'
import { handle } from '@queue/worker'
import { z } from 'zod'
const greet = defineJob({ kind: 'greet', payload: z.object({ name: z.string() }) })
export const handlers = [handle(greet, async ({ payload }) => ({ greeted: payload.name }))]
`

let database: TestDatabase
let directory: string
beforeAll(async () => {
  database = await createTestDatabase()
  directory = await mkdtemp(path.join(tmpdir(), 'queue-serve-worker-'))
  const page = await readFile(path.join(root, 'docs/worker-process.md'), 'utf8')
  const program = /^```js\n\/\/ worker.js\n(?<code>.*?)^```/ms.exec(page)?.groups?.['code'] ?? ''
  expect(program.trim().split('\n').length).toBeLessThanOrEqual(10)
  await writeFile(path.join(directory, 'package.json'), '{ "type": "module" }')
  await writeFile(path.join(directory, 'worker.js'), program)
  await writeFile(path.join(directory, 'handlers.js'), handlers)
  await symlink(path.join(root, 'tooling/node_modules'), path.join(directory, 'node_modules'))
})

afterAll(async () => {
  await database.close()
  await rm(directory, { recursive: true, force: true })
})

const children: ChildProcess[] = []
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL')
})

function start(env: NodeJS.ProcessEnv) {
  const child = spawn(process.execPath, ['--conditions=@queue/source', 'worker.js'], {
    cwd: directory,
    env: {
      PATH: process.env['PATH'],
      WORKER_METRICS_BIND_ADDR: '127.0.0.1:0',
      NODE_ENV: 'production',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  children.push(child)
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
  const ended = once(child, 'close').then(([code]) => code as number | null)
  return { child, ended, output: () => output }
}

test('the program of docs/worker-process.md works, answers probes and metrics, and ends at a SIGTERM', async () => {
  const { job } = await database.queue.enqueue(greet, { name: 'ann' })
  const { child, ended, output } = start({ DATABASE_URL: database.urlAs('worker') })
  const url = await eventually(() => /"url":"(?<url>http:[^"]+)"/.exec(output())?.groups?.['url'] ?? false)
  await eventually(async () => (await fetch(`${url}/readyz`)).status === 200)
  await eventually(async () => (await database.queue.get(job.id))?.status === 'succeeded')
  const metrics = await (await fetch(`${url}/metrics`)).text()
  expect(metrics).toMatch(/worker_concurrency(?:\{[^}]*\})? 10\n/)
  expect((await fetch(`${url}/livez`)).status).toBe(200)
  // The connections of fetch stay open, as those of a scraper do.
  child.kill('SIGTERM')
  expect(await ended).toBe(0)
  const { rows } = await database.pool.query('SELECT state FROM queue.workers')
  expect(rows).toEqual([{ state: 'stopped' }])
})

test('it names what its environment lacks, and exits with 2', async () => {
  const { ended, output } = start({})
  expect(await ended).toBe(2)
  expect(output()).toMatch(/^mail-worker: DATABASE_URL/m)
})
