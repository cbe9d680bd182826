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
// It claims nothing more, lets what runs come to its end within the grace, and the process ends.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void worker.stop())
// Every slot holds a handler that goes on past its timeout: only a new process has free ones.
void worker.failed.then(() => process.exit(1))
