/**
 * A process that claims and ends jobs, one batch after another, ordered as JSON on the command line. It tells its parent over
 * IPC when it has registered, and, once it is told to stop, when its jobs were since it was told to begin: `Span`.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { connect } from '@queue/core/schema'
import { createClaimer } from './claimer.ts'
import type { Span } from '../scale/run-scale.ts'

export interface ClaimerOrder {
  readonly url: string
  /** Jobs of each claim. */
  readonly batch: number
}

const { url, batch } = JSON.parse(process.argv[2] ?? '') as ClaimerOrder
const idleMs = 5
const nothingYet: Span = { jobs: 0, firstMs: Number.POSITIVE_INFINITY, lastMs: 0 }
const span = { ...nothingYet }
let isStopped = false

function nowMs(): number {
  return performance.timeOrigin + performance.now()
}

const database = connect({ connectionString: url, queryTimeoutMs: 300_000, preparedStatements: true })
const claimer = await createClaimer(database, `claimer-${process.pid}`)
process.on('message', (order: 'begin' | 'stop') => {
  if (order === 'begin') Object.assign(span, nothingYet)
  else isStopped = true
})
process.send?.('working')
while (!isStopped) {
  const askedMs = nowMs()
  const { jobs } = await claimer.claim(batch)
  if (jobs.length === 0) {
    await sleep(idleMs)
    continue
  }
  await claimer.finish(jobs)
  if (span.jobs === 0) span.firstMs = askedMs
  span.jobs += jobs.length
  span.lastMs = nowMs()
}
await database.close()
process.send?.(span satisfies Span)
process.disconnect()
