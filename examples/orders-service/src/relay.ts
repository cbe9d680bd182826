/** The relay as a separate process. It enqueues a job for each placed order through the queue's HTTP API. */
import { createClient } from '@queue/client'
import { asApiJob, createOutboxWorker, toHttp } from '@queue/outbox'
import { orderPlaced } from './messages.ts'

const relay = createOutboxWorker({
  connectionString: required('ORDERS_DATABASE_URL'),
  target: toHttp(createClient({ baseUrl: required('QUEUE_API_URL') }), [
    asApiJob(orderPlaced, ({ payload: { order_id: id, customer, number } }) => ({
      kind: 'send_email',
      payload: {
        to: `${customer}@example.com`,
        subject: `Order ${id}`,
        body: `Thank you for your order number ${number}.`,
      },
    })),
  ]),
  config: {
    batchSize: 50,
    concurrency: 25,
    dispatchTimeout: Number(process.env['RELAY_DISPATCH_TIMEOUT_MS'] ?? 10_000),
    maxAttempts: Number(process.env['RELAY_MAX_ATTEMPTS'] ?? 20),
  },
})

await relay.start()
process.stdout.write(`relaying as ${relay.id}\n`)
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void relay.stop())

function required(name: string): string {
  const value = process.env[name]
  if (value === undefined || value === '') throw new Error(`${name} is not set`)
  return value
}
