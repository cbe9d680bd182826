/**
 * The lease thread renews the lease and watches the main thread's event loop, even while a handler blocks that loop. It loads
 * little more than the driver, because every module that a thread loads is in memory a second time.
 */
import { writeSync } from 'node:fs'
import { parentPort, workerData } from 'node:worker_threads'
import { createTicker, monotonicMs } from '@queue/loop/timers'
import { endProcess } from './end-process.ts'
import type { Adoption, FromLeaseThread, LeaseThreadData, ToLeaseThread } from './protocol.ts'
import { createRenewer } from './renewer.ts'
import { sharedState } from './shared-state.ts'
import { createStallDetector } from './stall-detector.ts'

const { connection, heartbeatMs, stallMs, buffer } = workerData as LeaseThreadData
const state = sharedState(buffer)
const stderrFd = 2
const watchIntervalMs = 250

let adopted: Adoption | undefined

const renewer = createRenewer({
  connection,
  heartbeatMs,
  adopted: () => adopted,
  onRenewed: (sentAtMs) => state.publishRenewal(sentAtMs),
  onLost: (workerId) => post({ type: 'lost', workerId }),
  onFailure: (message) => post({ type: 'renewal_failed', message }),
})

const stall = createStallDetector({ stallMs, state })
const watch = createTicker({
  intervalMs: watchIntervalMs,
  tick: async () => {
    const reason = stall.check(monotonicMs())
    if (reason !== undefined) endNow(reason)
  },
  onError: () => undefined,
})

/** Stops renewing first, so that the lease expires even if the process does not end. */
function endNow(reason: string): void {
  const line = { level: 'error', message: `the process is ended: ${reason}`, worker_id: adopted?.workerId }
  adopted = undefined
  void watch.stop()
  try {
    writeSync(stderrFd, `${JSON.stringify(line)}\n`)
  } finally {
    endProcess()
  }
}

function post(message: FromLeaseThread): void {
  parentPort?.postMessage(message)
}

parentPort?.on('message', (message: ToLeaseThread) => {
  if (message.type === 'adopt') {
    adopted = message
    renewer.wake()
    return
  }
  adopted = undefined
  if (message.type === 'abandon') return
  parentPort?.close()
  void watch.stop()
  void renewer.stop()
})

renewer.start()
watch.start()
post({ type: 'ready' })
