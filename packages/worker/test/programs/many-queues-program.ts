/**
 * Runs some jobs in each of many queues, and prints the number of claims and the retained memory as JSON. Run it with
 * --expose-gc.
 */
import { createQueue } from '@queue/core'
import { createWorker, handle, noObserver } from '../../src/index.ts'
import { programJob } from './program-job.ts'

const connectionString = process.env['DATABASE_URL'] ?? ''
const queues = Array.from({ length: Number(process.argv[2]) }, (_, index) => `many-${index}`)
const jobs = 2_000

function heapBytes(): number {
  global.gc?.()
  return process.memoryUsage().heapUsed
}

const queue = createQueue({ connectionString })
let claims = 0
let done = 0
const allDone = Promise.withResolvers<void>()
const worker = createWorker({
  connectionString,
  queues,
  concurrency: 20,
  prefetch: 20,
  metrics: { ...noObserver, claimFinished: () => (claims += 1) },
  handlers: [
    handle(programJob, () => {
      done += 1
      if (done === jobs) allDone.resolve()
    }),
  ],
})
const beforeBytes = heapBytes()
await worker.start()
for (let start = 0; start < jobs; start += 1_000) {
  const requests = Array.from({ length: 1_000 }, (_, n) =>
    programJob.create({}, { queue: queues[(start + n) % queues.length] ?? '' }),
  )
  await queue.enqueueMany(requests)
}
await allDone.promise
const keptBytes = heapBytes() - beforeBytes
await worker.stop()
await queue.close()
process.stdout.write(`${JSON.stringify({ claims, keptBytes })}\n`)
