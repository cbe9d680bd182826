import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { compileCache } from '@queue/test-database'
import { createTestDatabase, eventually, type TestDatabase } from '@queue/testing'

const root = new URL('../../../', import.meta.url)
const register = fileURLToPath(new URL('../src/register.ts', import.meta.url))

let database: TestDatabase
const started: { readonly child: ChildProcess; readonly ended: Promise<unknown> }[] = []

beforeAll(async () => {
  database = await createTestDatabase()
})

afterAll(async () => {
  for (const { child } of started) child.kill('SIGTERM')
  await Promise.all(started.map(({ ended }) => ended))
  await database?.close()
})

/** Starts an app with the SDK loaded before it. Returns a function that returns its output so far. */
function start(app: 'api' | 'worker'): () => string {
  const main = fileURLToPath(new URL(`apps/${app}/src/main.ts`, root))
  const child = spawn(process.execPath, ['--conditions=@queue/source', `--import=${register}`, main], {
    env: {
      ...compileCache,
      DATABASE_URL: database.urlAs(app),
      LOG_FORMAT: 'json',
      API_BIND_ADDR: '127.0.0.1:0',
      API_OPS_BIND_ADDR: '127.0.0.1:0',
      WORKER_METRICS_BIND_ADDR: '127.0.0.1:0',
      EXECUTOR: 'simulated',
      WORKER_SIMULATION_SPEED: '1000',
    },
    stdio: ['ignore', 'pipe', 'inherit'],
    // A process that hangs is killed, and its test fails.
    timeout: 240_000,
    killSignal: 'SIGKILL',
  })
  started.push({ child, ended: once(child, 'close') })
  let output = ''
  child.stdout.on('data', (chunk) => (output += String(chunk)))
  return () => output
}

test('the deployed API and worker create one trace with an SDK that is loaded before them', async () => {
  const api = start('api')
  const worker = start('worker')
  const url = await eventually(() => /"url":"([^"]+)"/.exec(api())?.[1])
  const traceId = '4bf92f3577b34da6a3ce929d0e0e4736'
  await eventually(async () => (await fetch(`${url}/readyz`)).ok)
  const response = await fetch(`${url}/jobs`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', traceparent: `00-${traceId}-00f067aa0ba902b7-01` },
    body: JSON.stringify({
      kind: 'send_email',
      payload: { to: 'a@example.org', subject: 'Hello', body: 'Hello.' },
      max_attempts: 1,
    }),
  })
  expect(response.status).toBe(201)
  const enqueue = await eventually(() => /name: 'enqueue default',\s+id: '(\w+)'/.exec(api())?.[1])
  const attempt = new RegExp(
    `parentSpanContext: \\{\\s+traceId: '${traceId}',\\s+spanId: '${enqueue}',[^}]*\\},[^}]*name: 'execute default'`,
  )
  await eventually(() => attempt.test(worker()))
})
