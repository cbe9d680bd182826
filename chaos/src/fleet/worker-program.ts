/** A process with one worker of the suite. Its configuration is JSON on the command line. SIGTERM stops it gracefully. */
import { flushCompileCache } from 'node:module'
import { createWorker, handle, noObserver, type WorkerObserver } from '@queue/worker'
import pg from 'pg'
import { runPlan } from './behave.ts'
import { chaosJob } from './chaos-job.ts'
import type { WorkerMessage, WorkerConfig } from './worker-process.ts'

/** Few enough that the server has connections for eight such processes. */
const effectLogConnectionsMax = 10
const config = JSON.parse(process.argv[2] ?? '') as WorkerConfig
const { databaseUrl, effectLogUrl, schema, ...settings } = config
const effectLog = new pg.Pool({
  connectionString: effectLogUrl,
  max: Math.min(settings.concurrency, effectLogConnectionsMax),
})
effectLog.on('error', () => undefined)

const send = (message: WorkerMessage): void => {
  if (process.connected) process.send?.(message)
}
const ignore = (): void => undefined
let endsKept = 0
const metrics: WorkerObserver = {
  ...noObserver,
  staleWriteRefused: () => send({ type: 'refused' }),
  claimFailed: () => send({ type: 'claim failed' }),
  refusedEnds: (ends) => {
    if (ends > endsKept) send({ type: 'end kept' })
    endsKept = ends
  },
}

const worker = createWorker({
  ...settings,
  connectionString: databaseUrl,
  schema,
  metrics,
  logger: { debug: ignore, info: ignore, warn: ignore, error: ignore },
  handlers: [handle(chaosJob, (job, ctx) => runPlan({ job, ctx, effectLog }))],
})

async function stop(): Promise<void> {
  await worker.stop()
  await effectLog.end()
  process.exit(0)
}

// Ends with the process that has started it.
process.once('disconnect', () => process.exit(1))
process.once('SIGTERM', () => void stop())
await worker.start()
// Writes the compile cache now, because a killed process would not write it.
flushCompileCache()
send({ type: 'started' })
