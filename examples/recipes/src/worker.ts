import { createWorker, handle } from '@queue/worker'
import { confirmOrder } from './jobs.ts'

const worker = createWorker({
  connectionString: process.env['DATABASE_URL'] ?? '',
  concurrency: Number(process.env['WORKER_CONCURRENCY'] ?? 4),
  handlers: [
    handle(confirmOrder, async ({ payload: { orderId, email } }, ctx) => {
      ctx.logger.info('an e-mail would be sent', { order_id: orderId })
      return { sentTo: email }
    }),
  ],
})

await worker.start()
// The worker claims no more jobs and lets running handlers finish within the grace time. Then the process ends.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void worker.stop())
// Every slot has a handler that continues after its timeout. Only a new process has free slots.
void worker.failed.then(() => process.exit(1))
