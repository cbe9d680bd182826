/** Runs the whole example: PostgreSQL, the queue's API, the relay, and a service that accepts orders. */
import { setTimeout as sleep } from 'node:timers/promises'
import { createClient } from '@queue/client'
import { migrateUp } from '@queue/core'
import { startEmbeddedPostgres } from '@queue/dev-postgres'
import { createOutbox } from '@queue/outbox'
import pg from 'pg'
import { migrateOrders, openOrders } from './orders-database.ts'
import { creditLimitCents, placeOrder } from './place-order.ts'
import { startApi, startRelay } from './processes.ts'

const orderCount = 100

const print = (line: string): void => void process.stdout.write(`${line}\n`)

async function main(): Promise<void> {
  print('starting PostgreSQL with two databases: orders for the service, and queue for the queue')
  const server = await startEmbeddedPostgres()
  const ordersUrl = await createDatabase(server.url, 'orders')
  const queueUrl = await createDatabase(server.url, 'queue')
  await migrateUp({ connectionString: queueUrl })
  const pool = new pg.Pool({ connectionString: ordersUrl, max: 5 })
  const database = openOrders(pool)
  await migrateOrders(database, ordersUrl)
  const outbox = createOutbox({ pool })
  const api = await startApi(queueUrl)
  const relay = await startRelay({ ordersUrl, apiUrl: api.url })
  try {
    print(`the queue's API listens at ${api.url}; the relay is process ${relay.pid}`)
    const placed = await placeOrders(database, outbox)
    print(`of ${orderCount} orders, ${placed} were placed and the others were rolled back`)
    while ((await outbox.stats()).pending > 0) await sleep(50)
    let jobs = 0
    for await (const job of createClient({ baseUrl: api.url }).jobs({ kind: 'send_email' }))
      jobs += job.kind === 'send_email' ? 1 : 0
    print(
      `the queue has ${jobs} jobs: ${jobs === placed ? 'one for each order' : `WRONG: expected ${placed}, one for each order`}`,
    )
    process.exitCode = jobs === placed ? 0 : 1
  } finally {
    await relay.kill('SIGTERM')
    await api.kill('SIGTERM')
    await database.destroy()
    await server.stop()
  }
}

/** Places orders. Every fourth is over the credit limit, and is rolled back after its message was written. */
async function placeOrders(
  database: ReturnType<typeof openOrders>,
  outbox: ReturnType<typeof createOutbox>,
): Promise<number> {
  let placed = 0
  for (let n = 1; n <= orderCount; n += 1) {
    const totalCents = n % 4 === 0 ? creditLimitCents + n : n * 100
    const order = { id: `o_${n}`, customer: n % 2 === 0 ? 'ada' : 'grace', totalCents }
    await placeOrder(database, outbox, order).then(
      () => (placed += 1),
      () => undefined,
    )
  }
  return placed
}

async function createDatabase(serverUrl: string, name: string): Promise<string> {
  const client = new pg.Client({ connectionString: serverUrl })
  await client.connect()
  await client.query(`CREATE DATABASE ${pg.escapeIdentifier(name)}`)
  await client.end()
  const url = new URL(serverUrl)
  url.pathname = `/${name}`
  return url.href
}

await main()
