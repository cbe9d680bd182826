import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals'
import { webhookDelivery } from '@queue/core'
import { createTestDatabase, eventually, type TestDatabase } from '@queue/testing'
import { createWorkerProcesses, type WorkerProcess } from './worker-process.ts'

const scale = Number(process.env['QUEUE_TEST_SCALE'] ?? 1)
const webhooksTotal = Math.max(20, Math.round(200 * scale))
/** The number of deliveries between two kills. */
const deliveriesPerKill = 90
const receiversTotal = 3

const workers = createWorkerProcesses()
const servers: Server[] = []
let database: TestDatabase

beforeAll(async () => {
  database = await createTestDatabase()
})

afterEach(() => workers.killAll())

afterAll(async () => {
  for (const server of servers) server.closeAllConnections()
  for (const server of servers) server.close()
  await database?.close()
})

/** The bodies that a receiver has got, by `webhook-id`. */
type Received = Map<string, string[]>

/** Answers every tenth request with 503. Calls `onDelivery` after each accepted delivery, before the response. */
async function startReceiver(received: Received, onDelivery: () => void): Promise<number> {
  let requests = 0
  const server = createServer((request, response) => {
    let body = ''
    request.on('data', (chunk) => (body += String(chunk)))
    request.on('end', () => {
      requests += 1
      if (requests % 10 === 0) return void response.writeHead(503, { 'retry-after': '0' }).end()
      const id = String(request.headers['webhook-id'])
      received.set(id, [...(received.get(id) ?? []), body])
      onDelivery()
      response.writeHead(204).end()
    })
  }).listen(0, '127.0.0.1')
  servers.push(server)
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

test('kill -9 amid webhooks: each receiver sees each webhook-id at least once, and can drop repeats by it', async () => {
  const received = Array.from({ length: receiversTotal }, (): Received => new Map())
  let deliveries = 0
  let kills = 0
  let worker: WorkerProcess | undefined
  const onDelivery = (): void => {
    deliveries += 1
    if (deliveries % deliveriesPerKill !== 0) return
    kills += 1
    // The worker dies after the receiver has accepted a delivery and before the delivery is recorded.
    worker?.process.kill('SIGKILL')
    worker = start()
  }
  const ports = await Promise.all(received.map((receiver) => startReceiver(receiver, onDelivery)))
  const start = (): WorkerProcess =>
    workers.start({
      env: {
        DATABASE_URL: database.urlAs('worker'),
        EXECUTOR: 'real',
        EXECUTOR_KINDS: 'webhook_delivery',
        OUTGOING_ALLOW: ports.map((port) => `127.0.0.1:${port}`).join(','),
        WORKER_CONCURRENCY: '8',
        WORKER_POLL_INTERVAL_MS: '20',
        WORKER_LEASE_MS: '1500',
        WORKER_HEARTBEAT_MS: '500',
        WORKER_RECOVERY_INTERVAL_MS: '200',
      },
    })
  const enqueued = await database.queue.enqueueMany(
    Array.from({ length: webhooksTotal }, (_, index) =>
      webhookDelivery.create(
        { url: `http://127.0.0.1:${ports[index % receiversTotal]}/`, body: { index } },
        { maxAttempts: 100, retryPolicy: { type: 'fixed', baseMs: 1 } },
      ),
    ),
  )
  worker = start()
  await eventually(
    async () => {
      const { rows } = await database.pool.query<{ open: number }>(
        'SELECT count(*)::int AS open FROM queue.all_jobs WHERE finished_at IS NULL',
      )
      return rows[0]?.open === 0
    },
    { what: 'that all webhooks are delivered', deadlineMs: 240_000 * Math.max(1, scale) },
  )

  const { rows } = await database.pool.query('SELECT DISTINCT status FROM queue.all_jobs')
  expect(rows).toEqual([{ status: 'succeeded' }])
  for (const [receiverIndex, receiver] of received.entries()) {
    const ownJobs = enqueued
      .map(({ job }) => job)
      .filter((_, index) => index % receiversTotal === receiverIndex)
    expect([...receiver.keys()].toSorted()).toEqual(ownJobs.map(({ id }) => id).toSorted())
    for (const bodies of receiver.values()) expect(new Set(bodies).size).toBe(1)
  }
  const repeats = deliveries - webhooksTotal
  process.stdout.write(`${webhooksTotal} webhooks, ${kills} kills, ${repeats} repeats\n`)
  if (webhooksTotal > deliveriesPerKill) expect([kills > 0, repeats > 0]).toEqual([true, true])
})

test('a missing file of secrets ends the process with exit code 2 and one line', async () => {
  const { code, log } = await workers.start({
    env: {
      DATABASE_URL: database.urlAs('worker'),
      EXECUTOR: 'real',
      EXECUTOR_KINDS: 'webhook_delivery',
      WEBHOOK_SECRETS_FILE: '/nowhere/webhooks.json',
    },
  }).ended
  expect(code).toBe(2)
  expect(log.map(({ message }) => message)).toEqual([
    expect.stringContaining("ENOENT: no such file or directory, stat '/nowhere/webhooks.json'"),
  ])
})
