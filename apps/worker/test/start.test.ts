import { once } from 'node:events'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals'
import { migrateUp, sendEmail } from '@queue/core'
import { variablesOf } from '@queue/service'
import { freePort } from '@queue/test-database'
import {
  createTestDatabase,
  type DatabaseProxy,
  eventually,
  startDatabaseProxy,
  type TestDatabase,
} from '@queue/testing'
import { workerConfig } from '../src/config.ts'
import { createWorkerProcesses } from './worker-process.ts'

const workers = createWorkerProcesses()
const servers: Server[] = []
const proxies: DatabaseProxy[] = []
let database: TestDatabase

beforeAll(async () => {
  database = await createTestDatabase()
})

afterEach(async () => {
  await workers.killAll()
  for (const server of servers.splice(0)) server.close()
  await Promise.all(proxies.splice(0).map((proxy) => proxy.close()))
})

afterAll(() => database?.close())

test('--help names every variable and the simulation, and needs no configuration', async () => {
  const { code, stdout } = await workers.start({ env: {}, args: ['--help'] }).ended

  expect(code).toBe(0)
  for (const { name } of variablesOf(workerConfig)) expect(stdout).toContain(`${name} (`)
  expect(stdout).toContain('it only simulates them')
  expect(stdout).toContain('createWorker')
})

test('invalid configuration ends the process with exit code 2 and one line per variable', async () => {
  const { code, stdout, stderr } = await workers.start({
    env: { WORKER_CONCURRENCY: 'many', WORKER_QUEUES: '!' },
  }).ended

  expect(code).toBe(2)
  expect(stdout).toBe('')
  expect(stderr.trimEnd().split('\n')).toStrictEqual([
    expect.stringContaining('DATABASE_URL is not set'),
    expect.stringContaining('WORKER_CONCURRENCY "many" is not a whole number; accepted: '),
    expect.stringContaining('WORKER_QUEUES "!" names "!"'),
  ])
})

test('a renewal interval above a third of the lease ends the process with exit code 2', async () => {
  const env = { DATABASE_URL: database.urlAs('worker'), WORKER_LEASE_MS: '3000', WORKER_HEARTBEAT_MS: '1001' }
  const { code, stderr } = await workers.start({ env }).ended

  expect(code).toBe(2)
  expect(stderr).toContain('WORKER_HEARTBEAT_MS "1001" must be at most a third of WORKER_LEASE_MS')
})

test('the worker waits for a database that refuses writes: it is not ready and logs the reason', async () => {
  const readOnly = new URL(database.url)
  readOnly.searchParams.set('options', '-c default_transaction_read_only=on')
  const worker = workers.start({ env: { DATABASE_URL: readOnly.href } })

  const waiting = await worker.logged('the database cannot be reached: waiting')
  expect(waiting['reason']).toContain('read-only transaction')
  const { status, body } = await worker.page('/readyz')
  expect(status).toBe(503)
  expect(JSON.parse(body)).toMatchObject({ checks: { schema: 'compatible', writes: 'refused' } })
})

test('the worker waits for an unavailable database: it is alive but not ready, and runs jobs once it answers', async () => {
  const port = await freePort()
  const worker = workers.start({ env: { DATABASE_URL: withPort(database.urlAs('worker'), port) } })

  const waiting = await worker.logged('the database cannot be reached: waiting')
  expect(waiting.level).toBe('warn')
  expect((await worker.page('/livez')).status).toBe(200)
  expect(await worker.page('/readyz')).toMatchObject({ status: 503 })
  expect(await worker.page('/health')).toMatchObject({ status: 503 })

  proxies.push(await startDatabaseProxy(database.urlAs('worker'), { port }))
  await worker.logged('worker registered')
  await eventually(async () => (await worker.page('/readyz')).status === 200)
  expect((await worker.page('/metrics')).body).toContain('worker_concurrency 4')
})

test('a stop while waiting for the database is graceful', async () => {
  const worker = workers.start({
    env: { DATABASE_URL: withPort(database.urlAs('worker'), await freePort()) },
  })
  await worker.logged('the database cannot be reached: waiting')
  worker.process.kill('SIGTERM')

  expect((await worker.ended).code).toBe(0)
})

test('a stop while the worker registers is graceful: it claims nothing, and leaves no worker that counts as live', async () => {
  const { pool, queue } = database
  const { job } = await queue.enqueue(sendEmail, { to: 'a@example.com', subject: 's', body: 'b' })
  const lock = await pool.connect()
  await lock.query('BEGIN; LOCK TABLE queue.workers IN ACCESS EXCLUSIVE MODE')
  const worker = workers.start({ env: { DATABASE_URL: database.urlAs('worker') } })
  await eventually(async () => {
    const { rows } = await pool.query(
      `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'
          AND wait_event <> 'object'`,
    )
    return rows.length > 0
  })
  worker.process.kill('SIGTERM')
  await worker.logged('SIGTERM received: stopping; a second signal exits at once')
  await lock.query('COMMIT')
  lock.release()

  expect((await worker.ended).code).toBe(0)
  expect(await queue.get(job.id)).toMatchObject({ status: 'queued', attempts: 0 })
  const own = 'SELECT state FROM queue.workers WHERE pid = $1'
  expect((await pool.query(own, [worker.process.pid])).rows).toEqual([{ state: 'stopped' }])
})

test('a stop ends soon after its grace when the database falls silent, whatever its timeouts are', async () => {
  const proxy = await startDatabaseProxy(database.urlAs('worker'))
  proxies.push(proxy)
  const tenMinutes = '600000'
  const env = {
    DATABASE_URL: proxy.url,
    DATABASE_ACQUIRE_TIMEOUT_MS: tenMinutes,
    WORKER_SHUTDOWN_GRACE_MS: '0',
  }
  const working = workers.start({ env })
  await working.logged('worker registered')
  proxy.freeze()
  const starting = workers.start({ env })
  await starting.logged('serving health and metrics')
  for (const { process: child } of [working, starting]) child.kill('SIGTERM')

  expect((await working.ended).code).toBe(0)
  expect((await starting.ended).code).toBe(0)
})

test('a missing schema ends the process with exit code 3 and the command to run', async () => {
  const { code, log } = await workers.start({
    env: { DATABASE_URL: database.urlAs('worker'), QUEUE_SCHEMA: 'nowhere' },
  }).ended

  expect(code).toBe(3)
  expect(log.at(-1)).toMatchObject({ level: 'error', message: expect.stringContaining('queue-migrate up') })
})

test('an older schema ends the process with exit code 3 and the command to run', async () => {
  await migrateUp({ connectionString: database.url, schema: 'older' })
  await database.pool.query('DELETE FROM older.migrations WHERE version > 1')
  await database.pool.query('UPDATE older.migrations SET version = 0')
  const { code, log } = await workers.start({ env: { DATABASE_URL: database.url, QUEUE_SCHEMA: 'older' } })
    .ended

  expect(code).toBe(3)
  expect(log.at(-1)?.message).toMatch(/version 0.*queue-migrate up/)
})

test('a schema on which this code cannot run ends the process with exit code 3 and the advice to deploy a newer release', async () => {
  await migrateUp({ connectionString: database.url, schema: 'newer' })
  await database.pool.query('UPDATE newer.migrations SET version = version + 1000, min_code = 1000')
  const { code, log } = await workers.start({ env: { DATABASE_URL: database.url, QUEUE_SCHEMA: 'newer' } })
    .ended

  expect(code).toBe(3)
  expect(log.at(-1)?.message).toContain('deploy a newer release')
})

test('a port in use ends the process with exit code 1 and one line that names the variable', async () => {
  const occupiedPort = await listen(createServer())
  const env = {
    DATABASE_URL: database.urlAs('worker'),
    WORKER_METRICS_BIND_ADDR: `127.0.0.1:${occupiedPort}`,
  }
  const { code, log } = await workers.start({ env }).ended

  expect(code).toBe(1)
  expect(log).toStrictEqual([
    expect.objectContaining({
      level: 'error',
      message: expect.stringMatching(/^WORKER_METRICS_BIND_ADDR: .*in use/),
    }),
  ])
})

test('no log line contains the password of the database', async () => {
  const url = new URL(withPort(database.urlAs('worker'), await freePort()))
  url.password = 'hunter2-secret'
  const worker = workers.start({ env: { DATABASE_URL: url.href, LOG_LEVEL: 'debug' } })
  await worker.logged('the database cannot be reached: waiting')
  worker.process.kill('SIGTERM')
  const { stdout, stderr } = await worker.ended

  expect(stdout + stderr).not.toContain('hunter2-secret')
})

async function listen(server: Server, port = 0): Promise<number> {
  servers.push(server)
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

function withPort(url: string, port: number): string {
  const moved = new URL(url)
  moved.hostname = '127.0.0.1'
  moved.port = String(port)
  return moved.href
}
