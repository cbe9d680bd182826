/** A process with one worker, for tests that need a separate process. */
import { createWorker, handle } from '../../src/index.ts'
import { programJob } from './program-job.ts'

const [behaviour = ''] = process.argv.slice(2)
const connectionString = process.env['DATABASE_URL'] ?? ''

/** The actions of the handler, by the program's only argument. */
const work: Readonly<Record<string, () => unknown>> = {
  finish: () => 'done',
  fail: () => {
    throw new Error('of no use')
  },
  hang: () => new Promise(() => undefined),
  spin: () => {
    for (;;);
  },
}

/** A worker that should be lost has a short lease. The others have a long one, which holds on a busy machine. */
const quickLoss = { leaseMs: 3_000, heartbeatMs: 500, stallMs: 4_000 } as const
const isLost = ['hang', 'spin', 'fail'].includes(behaviour)

const worker = createWorker({
  connectionString,
  pollIntervalMs: 10,
  maxPollIntervalMs: 20,
  ...(isLost ? quickLoss : {}),
  handlers: [
    handle(programJob, async (_job, ctx) => {
      ctx.progress(50, 'half')
      process.send?.({ type: 'begun', workerId: worker.id })
      return behaviour === 'transaction'
        ? ctx.transaction(async (tx) => (await tx.query('SELECT 1 AS one')).rows)
        : work[behaviour]?.()
    }),
  ],
})
await worker.start()
process.send?.({ type: 'started', workerId: worker.id })
process.once('message', () => {
  // From here on only the worker keeps this process alive.
  process.disconnect()
  void worker.stop()
})
