/**
 * A worker process. Its configuration is JSON on the command line. It sends its parent a message when it has started. After the
 * message `stop` it sends the `Span` of its jobs since the message `begin`.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { createWorker, type ExecutionContext, handle } from '@queue/worker'
import { concurrency } from '../contenders/contender.ts'
import { benchJob, preparedStatements } from '../contenders/ours.ts'
import type { WorkerConfig, Span } from './run-scale.ts'

const { url, handlerMs, linesPerSecond = 0 } = JSON.parse(process.argv[2] ?? '') as WorkerConfig
const emptySpan: Span = { jobs: 0, firstMs: Number.POSITIVE_INFINITY, lastMs: 0 }
const span = { ...emptySpan }

/** The wall clock in milliseconds, which is the same in all processes of a machine. */
function nowMs(): number {
  return performance.timeOrigin + performance.now()
}

let lines = 0
let isMeasured = false

/** Logs a line unless that would exceed `linesPerSecond`. */
function logWithinRate(log: ExecutionContext['log']): void {
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
      if (linesPerSecond > 0) logWithinRate(log)
      if (handlerMs > 0) await sleep(handlerMs)
      span.lastMs = nowMs()
    }),
  ],
})
await worker.start()
process.send?.('working')
process.on('message', (command: 'begin' | 'stop') => {
  if (command === 'begin') begin()
  else void stop()
})

function begin(): void {
  Object.assign(span, emptySpan)
  isMeasured = true
  lines = 0
}

async function stop(): Promise<void> {
  await worker.stop()
  process.send?.(span satisfies Span)
  process.disconnect()
}
