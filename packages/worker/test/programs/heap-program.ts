/**
 * Enqueues and runs jobs, one after the other, and prints the growth of its old objects in bytes per job. V8 collects these only
 * in a full collection. The printed value is the smallest of several rounds, which end with the first below the argument: on a
 * busy machine more objects are in use when the young objects are collected.
 */
import { getHeapSpaceStatistics } from 'node:v8'
import { createQueue } from '@queue/core'
import { createWorker, handle } from '../../src/index.ts'
import { programJob } from './program-job.ts'

const connectionString = process.env['DATABASE_URL'] ?? ''
const warmUpJobs = 200
const jobs = 250
const rounds = 10

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
/** Counts growth only, because a full collection may shrink the heap at any time. */
async function grownBytes(): Promise<number> {
  let grown = 0
  for (let job = 0; job < jobs; job += 1) {
    const beforeBytes = oldBytes()
    await runOne()
    grown += Math.max(0, oldBytes() - beforeBytes)
  }
  return grown / jobs
}

const enoughBytes = Number(process.argv[2])
let leastBytes = Number.POSITIVE_INFINITY
for (let round = 0; round < rounds && leastBytes >= enoughBytes; round += 1) {
  leastBytes = Math.min(leastBytes, await grownBytes())
}
await worker.stop()
await queue.close()
process.stdout.write(`${Math.round(leastBytes)}\n`)
