/**
 * A process that claims and finishes jobs, one batch after another. Its configuration is JSON on the command line. It sends its
 * parent a message when it has registered. After the message `stop` it sends the `Span` of its jobs since the message `begin`.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { connect } from '@queue/core/internal'
import { createClaimer } from '../claimer.ts'
import { limitedJob } from './limited-job.ts'
import type { Span } from '../scale/run-scale.ts'

export interface ClaimerConfig {
  readonly url: string
  /** The number of jobs per claim. */
  readonly batch: number
}

const { url, batch } = JSON.parse(process.argv[2] ?? '') as ClaimerConfig
const idleMs = 5
const emptySpan: Span = { jobs: 0, firstMs: Number.POSITIVE_INFINITY, lastMs: 0 }
const span = { ...emptySpan }
let isStopped = false

function nowMs(): number {
  return performance.timeOrigin + performance.now()
}

const database = connect({ connectionString: url, queryTimeoutMs: 300_000, preparedStatements: true })
const claimer = await createClaimer(database, { workerId: `claimer-${process.pid}`, kind: limitedJob.kind })
process.on('message', (command: 'begin' | 'stop') => {
  if (command === 'begin') Object.assign(span, emptySpan)
  else isStopped = true
})
process.send?.('working')
while (!isStopped) {
  const claimedAtMs = nowMs()
  const { jobs } = await claimer.claim(batch)
  if (jobs.length === 0) {
    await sleep(idleMs)
    continue
  }
  await claimer.finish(jobs)
  if (span.jobs === 0) span.firstMs = claimedAtMs
  span.jobs += jobs.length
  span.lastMs = nowMs()
}
await database.close()
process.send?.(span satisfies Span)
process.disconnect()
