/**
 * A worker process for the scale part, ordered as JSON on the command line. It tells its parent over IPC when it works,
 * and, once it is told to stop, when its jobs were since it was told to begin: `Span`.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { createWorker, handle } from '@queue/worker'
import { concurrency } from '../contenders/contender.ts'
import { benchJob, preparedStatements } from '../contenders/ours.ts'
import type { ScaleOrder, Span } from './run-scale.ts'

const { url, handlerMs } = JSON.parse(process.argv[2] ?? '') as ScaleOrder
const nothingYet: Span = { jobs: 0, firstMs: Number.POSITIVE_INFINITY, lastMs: 0 }
const span = { ...nothingYet }

/** The wall clock, which the processes of one machine have in common. */
function nowMs(): number {
  return performance.timeOrigin + performance.now()
}

const worker = createWorker({
  connectionString: url,
  concurrency,
  preparedStatements,
  handlers: [
    handle(benchJob, async () => {
      if (span.jobs === 0) span.firstMs = nowMs()
      span.jobs += 1
      if (handlerMs > 0) await sleep(handlerMs)
      span.lastMs = nowMs()
    }),
  ],
})
await worker.start()
process.send?.('working')
process.on('message', (order: 'begin' | 'stop') => {
  if (order === 'begin') Object.assign(span, nothingYet)
  else void stop()
})

async function stop(): Promise<void> {
  await worker.stop()
  process.send?.(span satisfies Span)
  process.disconnect()
}
