import { fileURLToPath } from 'node:url'
import { createQueue, type LimitRule } from '@queue/core'
import type { TestDatabases } from '@queue/dev-postgres'
import { drainWith, forkProcesses } from '../scale/run-scale.ts'
import type { ClaimerConfig } from './claimer-process.ts'
import { limitedJob } from './limited-job.ts'

/** The waiting jobs of a drain and their limit, which is too high to hold any of them back. */
export interface DrainCase {
  readonly name: string
  /** The number of keys for this number of jobs; 0 for jobs without keys. */
  readonly keysOf: (jobs: number) => number
  readonly limit?: Omit<LimitRule, 'queue'>
}

/** Too high to hold a job back. */
const maxRunning = 1_000_000
const eachKeyLimit = { scope: 'each_key', maxRunning } as const

/** The unlimited queue comes first. The others are compared with it. */
export const drainCases = [
  { name: 'no limit, no keys', keysOf: () => 0 },
  {
    name: 'a limit on the queue, no keys',
    keysOf: () => 0,
    limit: { scope: 'queue', maxRunning },
  },
  { name: '1 key', keysOf: () => 1, limit: eachKeyLimit },
  { name: '100 keys', keysOf: () => 100, limit: eachKeyLimit },
  { name: 'a key for each job', keysOf: (jobs) => jobs, limit: eachKeyLimit },
] as const satisfies readonly DrainCase[]

export type DrainName = (typeof drainCases)[number]['name']

const script = fileURLToPath(new URL('./claimer-process.ts', import.meta.url))
const processes = 2
const batch = 100
const enqueueBatch = 1_000

/** Measures the jobs per second of two processes that claim and finish a hundred jobs at a time. */
export async function measureDrain(
  databases: TestDatabases,
  { keysOf, limit }: DrainCase,
  count: number,
): Promise<number> {
  const database = await databases.create()
  const queue = createQueue({ connectionString: database.url })
  const workers = await forkProcesses(script, processes, { url: database.url, batch } satisfies ClaimerConfig)
  try {
    if (limit !== undefined) await queue.limits.set({ queue: 'default', ...limit })
    const fill = async (jobs: number): Promise<void> => {
      const keys = keysOf(count)
      for (let start = 0; start < jobs; start += enqueueBatch) {
        const numbers = Array.from({ length: Math.min(enqueueBatch, jobs - start) }, (_, n) => start + n)
        await queue.enqueueMany(
          numbers.map((n) => limitedJob.create({}, keys === 0 ? {} : { key: `k${n % keys}` })),
        )
      }
    }
    return await drainWith({ queue, workers, fill, count })
  } finally {
    for (const worker of workers) worker.kill('SIGKILL')
    await queue.close()
    await database.drop()
  }
}
