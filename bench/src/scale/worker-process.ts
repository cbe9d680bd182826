/**
 * A worker process for the scale part, ordered as JSON on the command line. It tells its parent over IPC when it works,
 * and, once it is told to stop, when its jobs were since it was told to begin: `Span`.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { createWorker, type ExecutionContext, handle } from '@queue/worker'
import { concurrency } from '../contenders/contender.ts'
import { benchJob, preparedStatements } from '../contenders/ours.ts'
import type { ScaleOrder, Span } from './run-scale.ts'

const { url, handlerMs, linesPerSecond = 0 } = JSON.parse(process.argv[2] ?? '') as ScaleOrder
const nothingYet: Span = { jobs: 0, firstMs: Number.POSITIVE_INFINITY, lastMs: 0 }
const span = { ...nothingYet }

/** The wall clock, which the processes of one machine have in common. */
function nowMs(): number {
  return performance.timeOrigin + performance.now()
}

let lines = 0
let isMeasured = false

/** Logs a line where fewer have been logged than there may be by now. */
function logInTime(log: ExecutionContext['log']): void {
  if (lines >= ((nowMs() - span.firstMs) / 1_000) * linesPerSecond) return
  lines += 1
  log('info', `${isMeasured ? 'measured' : 'warm-up'} line`, { line: lines })
}

const worker = createWorker({
  connectionString: url,
  concurrency,
  preparedStatements,
  handlers: [
    handle(benchJob, async (_job, { log }) => {
      if (span.jobs === 0) span.firstMs = nowMs()
      span.jobs += 1
      if (linesPerSecond > 0) logInTime(log)
      if (handlerMs > 0) await sleep(handlerMs)
      span.lastMs = nowMs()
    }),
  ],
})
await worker.start()
process.send?.('working')
process.on('message', (order: 'begin' | 'stop') => {
  if (order === 'begin') begin()
  else void stop()
})

function begin(): void {
  Object.assign(span, nothingYet)
  isMeasured = true
  lines = 0
}

async function stop(): Promise<void> {
  await worker.stop()
  process.send?.(span satisfies Span)
  process.disconnect()
}
