/** A process that empties one outbox, as it is ordered as JSON on the command line, and prints the messages per second. */
import { createQueue, defineJob } from '@queue/core'
import { asJob, createOutboxWorker, defineMessage, type OutboxObserver, toQueue } from '@queue/outbox'
import pg from 'pg'
import { z } from 'zod'
import type { OutboxOrder } from './run-outbox.ts'

const payload = z.object({ n: z.number() })
const message = defineMessage({ topic: 'bench', payload })
const job = defineJob({ kind: 'bench', payload })

/** From the start of the relay to the record of the last delivery. */
async function relaySeconds({ outboxUrl, queueUrl, count }: OutboxOrder): Promise<number> {
  const queue = createQueue({ connectionString: queueUrl })
  const done = Promise.withResolvers<void>()
  let delivered = 0
  const metrics: OutboxObserver = {
    dispatched: ({ outcome }) => {
      if (outcome === 'delivered') delivered += 1
      if (delivered === count) done.resolve()
    },
    deadLettered: () => undefined,
    topics: () => undefined,
    claimed: () => undefined,
    listenerHealthy: () => undefined,
  }
  const relay = createOutboxWorker({
    connectionString: outboxUrl,
    target: toQueue(queue, [asJob(message, job)]),
    config: { batchSize: 500, concurrency: 1_000, minCycleDelay: 0 },
    metrics,
  })
  const startedMs = performance.now()
  await relay.start()
  await done.promise
  const seconds = (performance.now() - startedMs) / 1_000
  await relay.stop()
  await queue.close()
  return seconds
}

const copyBatch = 1_000

/** The same rows read, inserted and marked by one statement each, without leases, fences, attempts or checks. */
async function copySeconds({ outboxUrl, queueUrl, count }: OutboxOrder): Promise<number> {
  const from = new pg.Client({ connectionString: outboxUrl })
  const to = new pg.Client({ connectionString: queueUrl })
  await Promise.all([from.connect(), to.connect()])
  const startedMs = performance.now()
  for (let copied = 0; copied < count; copied += copyBatch) {
    const { rows } = await from.query<{ id: string; payload: string }>(
      `SELECT id, payload::text AS payload FROM outbox.outbox_messages WHERE delivered_at IS NULL AND key IS NULL
          AND NOT last_attempt AND topic = 'bench' AND next_retry_at <= now() ORDER BY next_retry_at LIMIT ${copyBatch}`,
    )
    const ids = rows.map((row) => row.id)
    const payloads = rows.map((row) => row.payload)
    await to.query(
      `INSERT INTO queue.jobs (id, kind, payload, idempotency_key, idempotency_fingerprint)
       SELECT i.id, 'bench', i.payload::jsonb, i.id::text, '\\x00' FROM unnest($1::uuid[], $2::text[]) AS i (id, payload)
       ON CONFLICT DO NOTHING`,
      [ids, payloads],
    )
    await from.query('UPDATE outbox.outbox_messages SET delivered_at = now() WHERE id = ANY($1::uuid[])', [
      ids,
    ])
  }
  const seconds = (performance.now() - startedMs) / 1_000
  await Promise.all([from.end(), to.end()])
  return seconds
}

const order = JSON.parse(process.argv[2] ?? '') as OutboxOrder
const seconds = await (order.way === 'relay' ? relaySeconds(order) : copySeconds(order))
process.stdout.write(`${JSON.stringify(order.count / seconds)}\n`)
process.exit(0)
