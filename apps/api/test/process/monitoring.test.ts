import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { createQueue, type Queue } from '@queue/core'
import { databaseOf } from '@queue/core/internal'
import { createReadiness } from '@queue/service'
import {
  createTestDatabase,
  type DatabaseProxy,
  eventually,
  startDatabaseProxy,
  type TestDatabase,
} from '@queue/testing'
import { createMetricsRegistry } from '@queue/telemetry'
import { email } from '../support/requests.ts'
import { startApi, type TestApi } from '../support/start-api.ts'

let database: TestDatabase
let proxy: DatabaseProxy
let queue: Queue
let api: TestApi

beforeAll(async () => {
  database = await createTestDatabase()
  proxy = await startDatabaseProxy(database.urlAs('api'))
  queue = createQueue({ connectionString: proxy.url })
  api = await startApi({ queue, readiness: createReadiness({ database: databaseOf(queue) }) })
})

afterAll(async () => {
  await api.close()
  await queue.close()
  await proxy.close()
  await database.close()
})

test('metrics name operations by their templates, and other paths by one name', async () => {
  await api.post('/jobs', email)
  await api.fetch('/jobs/01980d3c-7a1e-7c3a-9f52-3b1f6c0de001')
  for (const path of ['/a', '/b', '/jobs/1/2/3']) await api.fetch(path)
  await api.fetch('/jobs', { method: 'PUT' })
  const { status, text, headers } = await api.fetch('/metrics')
  expect(status).toBe(200)
  expect(headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8')
  const count = (labels: string) => text.match(`http_request_duration_seconds_count{${labels}} (\\d+)`)?.[1]
  expect(count('method="POST",route="/jobs",status="201"')).toBe('1')
  expect(count('method="GET",route="/jobs/\\{id\\}",status="404"')).toBe('1')
  expect(count('method="GET",route="unmatched",status="404"')).toBe('3')
  expect(count('method="PUT",route="/jobs",status="405"')).toBe('1')
  expect(text).not.toContain('01980d3c')
})

test('scrapes that wait for a rendering take no turn from reads of the database', async () => {
  const registry = createMetricsRegistry({ service: 'api-test' })
  const collection = Promise.withResolvers<void>()
  const info = registry.getMetricsAsArray()[0]?.name
  let renderings = 0
  const render = registry.getSingleMetricAsString.bind(registry)
  registry.getSingleMetricAsString = async (name) => {
    renderings += name === info ? 1 : 0
    await collection.promise
    return render(name)
  }
  const slow = await startApi({
    queue,
    readiness: createReadiness({ database: databaseOf(queue) }),
    registry,
  })
  try {
    const scrapes = Array.from({ length: 20 }, () => slow.fetch('/metrics'))
    await eventually(() => renderings === 1)
    const reads = ['/jobs', '/queues', '/dead-letters'].map((path) => slow.fetch(path))
    for (const { status } of await Promise.all(reads)) expect(status).toBe(200)
    collection.resolve()
    for (const { status } of await Promise.all(scrapes)) expect(status).toBe(200)
  } finally {
    collection.resolve()
    await slow.close()
  }
})

test('a server is alive whatever its database does, and ready while that answers', async () => {
  const checks = { process: 'running', database: 'up', schema: 'compatible', writes: 'accepted' }
  expect(await api.fetch('/livez')).toMatchObject({ status: 200, body: { status: 'alive' } })
  expect(await api.fetch('/readyz')).toMatchObject({ status: 200, body: { status: 'ready', checks } })
  const health = await api.fetch('/health')
  expect(health).toMatchObject({ status: 200, body: { status: 'ready', checks } })
  expect(health.body.uptime_seconds).toBeGreaterThanOrEqual(0)
  await proxy.close()
  await eventually(async () => (await api.fetch('/readyz')).status === 503)
  for (const path of ['/readyz', '/health']) {
    const answer = await api.fetch(path)
    expect(answer).toMatchObject({
      status: 503,
      body: {
        error: 'not_ready',
        checks: { ...checks, database: 'down', schema: 'unknown', writes: 'unknown' },
      },
    })
    expect(answer.headers.get('retry-after')).toBe('1')
  }
  expect((await api.fetch('/livez')).status).toBe(200)
  expect((await api.fetch('/metrics')).status).toBe(200)
  expect((await api.post('/jobs', email)).status).toBe(503)
})

test('a server on a database that refuses writes is ready for reads, and says so', async () => {
  const url = new URL(database.url)
  url.searchParams.set('options', '-c default_transaction_read_only=on')
  const reader = createQueue({ connectionString: url.href })
  const reading = await startApi({
    queue: reader,
    readiness: createReadiness({ database: databaseOf(reader) }),
  })
  expect(await reading.fetch('/readyz')).toMatchObject({
    status: 200,
    body: { status: 'ready', checks: { writes: 'refused' } },
  })
  expect((await reading.fetch('/jobs')).status).toBe(200)
  expect((await reading.post('/jobs', email)).status).toBe(503)
  await reading.close()
  await reader.close()
})

test('a server that is stopping is not ready', async () => {
  const stop = new AbortController()
  const readiness = createReadiness({ database: databaseOf(database.queue), signal: stop.signal })
  const stopping = await startApi({ queue: database.queue, readiness })
  expect((await stopping.fetch('/readyz')).status).toBe(200)
  stop.abort()
  expect(await stopping.fetch('/readyz')).toMatchObject({
    status: 503,
    body: { checks: { process: 'stopping' } },
  })
  await stopping.close()
})

test('a schema that does not fit makes a server not ready', async () => {
  const elsewhere = createQueue({ pool: database.pool, schema: 'not_migrated' })
  const readiness = createReadiness({ database: databaseOf(elsewhere) })
  const unmigrated = await startApi({ queue: elsewhere, readiness })
  expect(await unmigrated.fetch('/readyz')).toMatchObject({
    status: 503,
    body: { checks: { schema: 'missing' } },
  })
  expect(await unmigrated.post('/jobs', email)).toMatchObject({
    status: 503,
    body: { error: 'schema_mismatch' },
  })
  await unmigrated.close()
})
