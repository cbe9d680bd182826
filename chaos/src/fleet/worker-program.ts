/** A process with one worker of the suite, ordered as JSON on the command line. SIGTERM stops it gracefully. */
import { flushCompileCache } from 'node:module'
import { createWorker, handle, noObserver, type WorkerObserver } from '@queue/worker'
import pg from 'pg'
import { behave } from './behave.ts'
import { chaosJob } from './chaos-job.ts'
import type { FromWorker, WorkerOrder } from './worker-process.ts'

/** The server has room for eight processes of them. */
const effectLogConnectionsMax = 10
const order = JSON.parse(process.argv[2] ?? '') as WorkerOrder
const { databaseUrl, effectLogUrl, schema, ...settings } = order
const effectLog = new pg.Pool({
  connectionString: effectLogUrl,
  max: Math.min(settings.concurrency, effectLogConnectionsMax),
})
effectLog.on('error', () => undefined)

const tell = (message: FromWorker): void => {
  if (process.connected) process.send?.(message)
}
const ignore = (): void => undefined
let endsKept = 0
const metrics: WorkerObserver = {
  ...noObserver,
  staleWriteRefused: () => tell({ type: 'refused' }),
  claimFailed: () => tell({ type: 'claim failed' }),
  refusedEnds: (ends) => {
    if (ends > endsKept) tell({ type: 'end kept' })
    endsKept = ends
  },
}

const worker = createWorker({
  ...settings,
  connectionString: databaseUrl,
  schema,
  metrics,
  logger: { debug: ignore, info: ignore, warn: ignore, error: ignore },
  handlers: [handle(chaosJob, (job, ctx) => behave({ job, ctx, effectLog }))],
})

async function stop(): Promise<void> {
  await worker.stop()
  await effectLog.end()
  process.exit(0)
}

// Whoever has started this process is gone: nobody else would end it.
process.once('disconnect', () => process.exit(1))
process.once('SIGTERM', () => void stop())
await worker.start()
// Most of these processes are killed, and a killed one would leave nothing for the next.
flushCompileCache()
tell({ type: 'started' })
