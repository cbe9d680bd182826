/**
 * The program that is bundled, which `pnpm try:install` also compiles as TypeScript. It creates the tables, fires a schedule with a cron expression, runs its job while the lease is
 * renewed and the probes are answered, and prints what it saw.
 */
import { createQueue, defineJob, migrateUp } from '@queue/core'
import { startOpsServer } from '@queue/service'
import { createLogger, createMetricsRegistry, createWorkerMetrics } from '@queue/telemetry'
import { createWorker, handle } from '@queue/worker'
import { z } from 'zod'

const connectionString = process.env['DATABASE_URL'] ?? ''
const tick = defineJob({ kind: 'tick', payload: z.object({}) })

async function main() {
  await migrateUp({ connectionString })
  const queue = createQueue({ connectionString })
  const { description } = await queue.schedules.create({
    name: 'every-second',
    cron: '* * * * * *',
    definition: tick,
    payload: {},
  })
  const registry = createMetricsRegistry({ service: 'bundled' })
  const server = await startOpsServer({
    registry,
    readiness: async () => ({
      status: 'ready',
      checks: { process: 'running', database: 'up', schema: 'compatible', writes: 'accepted' },
    }),
    logger: createLogger({ service: 'bundled', level: 'error', format: 'json' }),
    address: { host: '127.0.0.1', port: 0, variable: 'PORT' },
  })
  const ran = Promise.withResolvers()
  const worker = createWorker({
    connectionString,
    metrics: createWorkerMetrics(registry),
    handlers: [handle(tick, async () => ran.resolve(undefined))],
  })
  await worker.start()
  await ran.promise
  const probe = await fetch(`${server.url}/livez`)
  const metrics = await (await fetch(`${server.url}/metrics`)).text()
  await worker.stop()
  await server.close({ graceMs: 1_000 })
  const schedule = await queue.schedules.get('every-second')
  await queue.close()
  const seen = {
    description,
    pausedReason: schedule?.pausedReason,
    livez: probe.status,
    hasMetrics: metrics.includes('worker_concurrency'),
  }
  console.log(JSON.stringify(seen))
}

void main()
