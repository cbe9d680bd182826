/**
 * Adds and works off jobs, one after the other, and prints by how many bytes for each its old objects grew: those that V8
 * looks through only when it collects everything.
 */
import { getHeapSpaceStatistics } from 'node:v8'
import { createQueue } from '@queue/core'
import { createWorker, handle } from '../../src/index.ts'
import { programJob } from './program-job.ts'

const connectionString = process.env['DATABASE_URL'] ?? ''
const warmUpJobs = 200
const jobs = 800

function oldBytes(): number {
  return getHeapSpaceStatistics().find((space) => space.space_name === 'old_space')?.space_used_size ?? 0
}

let end: () => void = () => undefined
const worker = createWorker({
  connectionString,
  pollIntervalMs: 2,
  maxPollIntervalMs: 2,
  handlers: [handle(programJob, () => end())],
})
const queue = createQueue({ connectionString })
await worker.start()

async function runOne(): Promise<void> {
  const ended = new Promise<void>((resolve) => {
    end = resolve
  })
  await queue.enqueue(programJob, {})
  await ended
}

for (let job = 0; job < warmUpJobs; job += 1) await runOne()
const beforeBytes = oldBytes()
let mostBytes = beforeBytes
for (let job = 0; job < jobs; job += 1) {
  await runOne()
  mostBytes = Math.max(mostBytes, oldBytes())
}
await worker.stop()
await queue.close()
process.stdout.write(`${Math.round((mostBytes - beforeBytes) / jobs)}\n`)
