import { connect, createServer } from 'node:net'
import { once } from 'node:events'
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import { freePort } from '@queue/test-database'
import {
  createTestDatabase,
  eventually,
  insertJob,
  startDatabaseProxy,
  type TestDatabase,
} from '@queue/testing'
import { headersReceiveMsMax } from '../../src/http/limits.ts'
import { type ApiProcess, startApiProcess } from '../support/api-process.ts'
import { checkedFetch } from '../support/checked-fetch.ts'
import { email } from '../support/requests.ts'

let database: TestDatabase
const started: ApiProcess[] = []

beforeAll(async () => {
  database = await createTestDatabase()
})

afterEach(async () => {
  for (const process of started.splice(0)) {
    process.signal('SIGKILL')
    await process.ended()
  }
})

afterAll(() => database.close())

function start(env: Readonly<Record<string, string>>): ApiProcess {
  const process = startApiProcess(env)
  started.push(process)
  return process
}

function becomesReady(url: string): Promise<true> {
  return eventually(async () => (await checkedFetch(url, '/readyz')).status === 200)
}

test('SIGTERM lets a request in flight end, takes no new ones, and exits 0', async () => {
  const api = start({ DATABASE_URL: database.urlAs('api') })
  const url = await api.url()
  await becomesReady(url)
  const client = await database.pool.connect()
  await client.query('BEGIN; LOCK TABLE queue.jobs IN ACCESS EXCLUSIVE MODE')
  const headers = { 'content-type': 'application/json' }
  const inFlight = checkedFetch(url, '/jobs', { method: 'POST', headers, body: JSON.stringify(email) })
  await eventually(async () => {
    const waiting = `SELECT FROM pg_stat_activity WHERE application_name = 'queue-api' AND wait_event_type = 'Lock'
      AND datname = current_database()`
    return (await client.query(waiting)).rowCount === 1
  })
  api.signal('SIGTERM')
  await eventually(
    () =>
      fetch(`${url}/livez`).then(
        () => false,
        () => true,
      ),
    { what: 'refusing connections' },
  )
  await client.query('COMMIT')
  client.release()
  const answer = await inFlight
  expect(answer.status).toBe(201)
  expect(await api.ended()).toBe(0)
  expect(api.stdout()).toContain('"message":"stopped"')
  expect(await database.queue.get(answer.body.id ?? '')).toBeDefined()
})

test('SIGTERM answers those who wait with what there is, and ends streams of events', async () => {
  const api = start({ DATABASE_URL: database.urlAs('api') })
  const url = await api.url()
  await becomesReady(url)
  const { id } = await insertJob(database)
  const stream = await fetch(`${url}/jobs/${id}/events`)
  const events = stream.text()
  const waiting = checkedFetch(url, '/jobs', {
    method: 'POST',
    headers: { 'content-type': 'application/json', prefer: 'wait=20' },
    body: JSON.stringify({ ...email, queue: 'awaited' }),
  })
  await eventually(async () => (await database.queue.list({ queue: 'awaited' })).jobs.length === 1)
  api.signal('SIGTERM')
  expect(await waiting).toMatchObject({ status: 201, body: { status: 'queued' } })
  expect(await events).toMatch(/^event: state\ndata: .*"status":"queued"/)
  expect(await api.ended()).toBe(0)
})

test('requests that go on past the grace are cut', async () => {
  const api = start({ DATABASE_URL: database.urlAs('api'), API_SHUTDOWN_GRACE_MS: '100' })
  const url = await api.url()
  await becomesReady(url)
  const client = await database.pool.connect()
  await client.query('BEGIN; LOCK TABLE queue.jobs IN ACCESS EXCLUSIVE MODE')
  const inFlight = fetch(`${url}/jobs`).then(
    () => 'answered',
    () => 'cut',
  )
  await eventually(async () => {
    // Other tests wait for locks in databases of their own.
    const waiting = `SELECT FROM pg_locks WHERE NOT granted
      AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`
    return (await client.query(waiting)).rowCount === 1
  })
  api.signal('SIGTERM')
  expect(await inFlight).toBe('cut')
  await client.query('ROLLBACK')
  client.release()
  expect(await api.ended()).toBe(0)
  expect(api.stdout()).toContain('API_SHUTDOWN_GRACE_MS')
})

test('a database that is down at the start is waited for, and the API says so', async () => {
  const port = await freePort()
  const address = new URL(database.urlAs('api'))
  address.host = `127.0.0.1:${port}`
  const api = start({ DATABASE_URL: address.href })
  const url = await api.url()
  expect((await checkedFetch(url, '/livez')).status).toBe(200)
  expect(await checkedFetch(url, '/readyz')).toMatchObject({
    status: 503,
    body: { checks: { database: 'down' } },
  })
  await eventually(() => api.stdout().includes('the database cannot be reached: waiting'))
  const proxy = await startDatabaseProxy(database.urlAs('api'), { port })
  await becomesReady(url)
  api.signal('SIGTERM')
  expect(await api.ended()).toBe(0)
  await proxy.close()
})

describe('with all connections held by clients that say nothing', () => {
  const connectionsMax = 20

  test('probes are answered on a port of their own, and requests on theirs', async () => {
    const api = start({ DATABASE_URL: database.urlAs('api'), API_MAX_CONNECTIONS: String(connectionsMax) })
    const url = await api.url()
    const { hostname, port } = new URL(url)
    await becomesReady(url)
    const silent = Array.from({ length: 3 * connectionsMax }, () => connect(Number(port), hostname))
    const kept = silent.map((socket) =>
      once(
        socket.on('error', () => undefined),
        'connect',
      ),
    )
    await Promise.all(kept)
    // Half of them have asked for something once, as a browser or a balancer has.
    for (const socket of silent.slice(connectionsMax))
      socket.write('GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n')
    const probes = /"probes":"([^"]+)"/.exec(api.stdout())?.[1] ?? ''
    for (const page of [`${probes}/livez`, `${probes}/readyz`, `${probes}/health`, `${url}/jobs`]) {
      const answer = await fetch(page, {
        // Below the time after which the API closes a connection that says nothing.
        signal: AbortSignal.timeout(headersReceiveMsMax * 0.8),
        headers: { connection: 'close' },
      })
      expect([page, answer.status]).toEqual([page, 200])
      await answer.text()
    }
    expect((await fetch(`${probes}/metrics`)).status).toBe(404)
    for (const socket of silent) socket.destroy()
  })
})

describe('a process that cannot start says why in one line', () => {
  test('bad configuration: exit 2, each culprit, and nothing on standard output', async () => {
    const api = start({
      API_BIND_ADDR: 'localhost',
      API_MAX_CONNECTIONS: 'many',
      IDEMPOTENCY_MISMATCH: 'shrug',
    })
    expect(await api.ended()).toBe(2)
    expect(api.stdout()).toBe('')
    expect(api.stderr().trimEnd().split('\n')).toEqual([
      expect.stringMatching(/^queue-api: DATABASE_URL is not set; accepted: postgres:/),
      expect.stringMatching(/^queue-api: API_BIND_ADDR "localhost" .*accepted: host:port/),
      expect.stringMatching(/^queue-api: API_MAX_CONNECTIONS "many" .*accepted: a whole number/),
      expect.stringMatching(/^queue-api: IDEMPOTENCY_MISMATCH "shrug" .*accepted: replay, reject/),
    ])
  })

  test('a port in use: exit 1, naming the variable', async () => {
    const holder = createServer().listen(0, '127.0.0.1')
    await once(holder, 'listening')
    const address = holder.address()
    const port = typeof address === 'object' ? address?.port : 0
    const api = start({ DATABASE_URL: database.urlAs('api'), API_BIND_ADDR: `127.0.0.1:${port}` })
    expect(await api.ended()).toBe(1)
    holder.close()
    const errors = api
      .stdout()
      .split('\n')
      .filter((line) => line.includes('"level":"error"'))
    expect(errors).toHaveLength(1)
    expect(errors[0]).toContain(`API_BIND_ADDR: cannot listen on 127.0.0.1:${port}: the port is in use`)
  })

  test('a schema that is missing: exit 3, naming the command', async () => {
    const api = start({ DATABASE_URL: database.urlAs('api'), QUEUE_SCHEMA: 'not_migrated' })
    expect(await api.ended()).toBe(3)
    expect(api.stdout()).toContain('run queue-migrate up')
  })

  test('a schema from the future: exit 3', async () => {
    await database.pool.query(`CREATE SCHEMA future; CREATE TABLE future.migrations (LIKE queue.migrations INCLUDING ALL);
      INSERT INTO future.migrations SELECT * FROM queue.migrations;
      UPDATE future.migrations SET version = version + 1000, min_code = 1000`)
    const api = start({ DATABASE_URL: database.url, QUEUE_SCHEMA: 'future' })
    expect(await api.ended()).toBe(3)
    expect(api.stdout()).toContain('deploy a newer release')
  })
})

test('without a token it warns, once; with one it does not, and the token opens', async () => {
  const open = start({ DATABASE_URL: database.urlAs('api') })
  await becomesReady(await open.url())
  expect(open.stdout().split('neither API_TOKEN nor API_KEYS is set')).toHaveLength(2)
  const guarded = start({ DATABASE_URL: database.urlAs('api'), API_TOKEN: 'sesame-open-please' })
  const url = await guarded.url()
  await becomesReady(url)
  expect((await checkedFetch(url, '/jobs')).status).toBe(401)
  expect(
    (await checkedFetch(url, '/jobs', { headers: { authorization: 'Bearer sesame-open-please' } })).status,
  ).toBe(200)
  expect(guarded.stdout()).not.toContain('neither API_TOKEN nor API_KEYS is set')
  expect(guarded.stdout()).not.toContain('sesame-open-please')
})

test('metrics show the depth of the queues and the connections, and do without them while the database is gone', async () => {
  const proxy = await startDatabaseProxy(database.urlAs('api'))
  const api = start({ DATABASE_URL: proxy.url })
  const url = await api.url()
  await becomesReady(url)
  const body = JSON.stringify({ ...email, queue: 'measured', delay_ms: 60_000 })
  await checkedFetch(url, '/jobs', { method: 'POST', headers: { 'content-type': 'application/json' }, body })
  const metrics = await checkedFetch(url, '/metrics')
  expect(metrics.text).toContain('queue_jobs{queue="measured",status="queued"} 1')
  expect(metrics.text).toContain('queue_oldest_ready_seconds{queue="measured"} 0')
  expect(metrics.text).toMatch(/db_pool_connections\{pool="main",state="idle"\} \d/)
  await proxy.close()
  const late = start({ DATABASE_URL: proxy.url })
  const without = await checkedFetch(await late.url(), '/metrics')
  expect(without.status).toBe(200)
  expect(without.text).toContain('# queue_jobs could not be collected')
  expect(without.text).toContain('http_request_duration_seconds')
})

test('--help lists every variable of the API', async () => {
  const { spawnSync } = await import('node:child_process')
  const main = new URL('../../src/main.ts', import.meta.url).pathname
  const help = spawnSync(process.execPath, ['--conditions=@queue/source', main, '--help'], {
    encoding: 'utf8',
  })
  expect(help.status).toBe(0)
  for (const name of [
    'DATABASE_URL',
    'API_BIND_ADDR',
    'API_OPS_BIND_ADDR',
    'API_TOKEN',
    'API_OPEN',
    'API_ALLOWED_HOSTS',
    'API_REQUEST_TIMEOUT_MS',
    'API_ENQUEUE_WAITING_MAX',
    'DATABASE_POOLER',
    'IDEMPOTENCY_MISMATCH',
  ]) {
    expect(help.stdout).toContain(name)
  }
})
