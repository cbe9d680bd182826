/** The lease thread: it renews the lease and watches the main loop, however long a handler blocks that. */
import { writeSync } from 'node:fs'
import { parentPort, workerData } from 'node:worker_threads'
import { connect } from '@queue/core'
import { renewWorkerLease } from '@queue/core/runtime'
import pg from 'pg'
import { createTicker } from '../ticker.ts'
import type { FromLeaseThread, LeaseThreadData, ToLeaseThread } from './protocol.ts'
import { monotonicMs, sharedState } from './shared-state.ts'
import { createStallDetector } from './stall-detector.ts'

const { connection, schema, leaseMs, heartbeatMs, stallMs, buffer } = workerData as LeaseThreadData
const state = sharedState(buffer)
const stderrFd = 2
const watchIntervalMs = 250

// One connection, and no wait for it that is longer than a heartbeat: the next one tries again.
const pool = new pg.Pool({
  ...connection,
  max: 1,
  connectionTimeoutMillis: heartbeatMs,
  keepAlive: true,
  application_name: 'queue-lease',
})
const database = connect({ pool, schema, queryTimeoutMs: heartbeatMs })
let workerId: string | undefined

const heartbeat = createTicker({
  intervalMs: heartbeatMs,
  tick: async () => {
    const id = workerId
    if (id === undefined) return
    const sentAtMs = monotonicMs()
    const { outcome } = await renewWorkerLease(database, { id, leaseMs })
    if (workerId !== id) return
    if (outcome === 'renewed') state.publishRenewal(sentAtMs)
    else tell({ type: 'lost', workerId: id })
  },
  onError: (error) =>
    tell({ type: 'trouble', message: error instanceof Error ? error.message : String(error) }),
})

const stall = createStallDetector({ stallMs, state })
const watch = createTicker({
  intervalMs: watchIntervalMs,
  tick: async () => {
    const why = stall.look(monotonicMs())
    if (why !== undefined) endProcess(why)
  },
  onError: () => undefined,
})

/** The main loop can neither log nor exit, and `process.exit` in a thread would end the thread alone. */
function endProcess(why: string): void {
  const line = { level: 'error', message: `the process is ended: ${why}`, worker_id: workerId }
  writeSync(stderrFd, `${JSON.stringify(line)}\n`)
  process.kill(process.pid, 'SIGKILL')
}

function tell(message: FromLeaseThread): void {
  parentPort?.postMessage(message)
}

parentPort?.on('message', (message: ToLeaseThread) => {
  if (message.type === 'adopt') {
    workerId = message.workerId
    return
  }
  workerId = undefined
  parentPort?.close()
  void Promise.all([heartbeat.stop(), watch.stop()]).then(() => pool.end())
})

heartbeat.start()
watch.start()
