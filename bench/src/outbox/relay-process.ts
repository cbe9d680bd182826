/** A process that empties an outbox and prints the messages per second. Its configuration is JSON on the command line. */
import { createQueue, defineJob } from '@queue/core'
import { asJob, createOutboxWorker, defineMessage, type OutboxObserver, toQueue } from '@queue/outbox'
import pg from 'pg'
import { z } from 'zod'
import type { DeliveryConfig } from './run-outbox.ts'

const payload = z.object({ n: z.number() })
const message = defineMessage({ topic: 'bench', payload })
const job = defineJob({ kind: 'bench', payload })

/** The seconds from the start of the relay until the last delivery is recorded. */
async function relaySeconds({ outboxUrl, queueUrl, count }: DeliveryConfig): Promise<number> {
  const queue = createQueue({ connectionString: queueUrl })
  const allDelivered = Promise.withResolvers<void>()
  let delivered = 0
  const metrics: OutboxObserver = {
    dispatched: ({ outcome }) => {
      if (outcome === 'delivered') delivered += 1
      if (delivered === count) allDelivered.resolve()
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
  await allDelivered.promise
  const seconds = (performance.now() - startedMs) / 1_000
  await relay.stop()
  await queue.close()
  return seconds
}

const copyBatch = 1_000

/** The seconds to copy the same rows with three statements per batch, without leases, fences, attempts or checks. */
async function copySeconds({ outboxUrl, queueUrl, count }: DeliveryConfig): Promise<number> {
  const source = new pg.Client({ connectionString: outboxUrl })
  const target = new pg.Client({ connectionString: queueUrl })
  await Promise.all([source.connect(), target.connect()])
  const startedMs = performance.now()
  for (let copied = 0; copied < count; copied += copyBatch) {
    const { rows } = await source.query<{ id: string; payload: string }>(
      `SELECT id, payload::text AS payload FROM outbox.outbox_messages WHERE delivered_at IS NULL AND key IS NULL
          AND NOT last_attempt AND topic = 'bench' AND next_retry_at <= now() ORDER BY next_retry_at LIMIT ${copyBatch}`,
    )
    const ids = rows.map((row) => row.id)
    const payloads = rows.map((row) => row.payload)
    await target.query(
      `INSERT INTO queue.jobs (id, kind, payload, idempotency_key, idempotency_fingerprint)
       SELECT i.id, 'bench', i.payload::jsonb, i.id::text, '\\x00' FROM unnest($1::uuid[], $2::text[]) AS i (id, payload)
       ON CONFLICT DO NOTHING`,
      [ids, payloads],
    )
    await source.query('UPDATE outbox.outbox_messages SET delivered_at = now() WHERE id = ANY($1::uuid[])', [
      ids,
    ])
  }
  const seconds = (performance.now() - startedMs) / 1_000
  await Promise.all([source.end(), target.end()])
  return seconds
}

const config = JSON.parse(process.argv[2] ?? '') as DeliveryConfig
const seconds = await (config.method === 'relay' ? relaySeconds(config) : copySeconds(config))
process.stdout.write(`${JSON.stringify(config.count / seconds)}\n`)
process.exit(0)
