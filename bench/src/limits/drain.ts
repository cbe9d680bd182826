import { fileURLToPath } from 'node:url'
import { createQueue, type LimitRule } from '@queue/core'
import type { TestDatabases } from '@queue/dev-postgres'
import { drainWith, forkProcesses } from '../scale/run-scale.ts'
import type { ClaimerOrder } from './claimer-process.ts'
import { limitedJob } from './claimer.ts'

/** What waits in the queue, and under which limit. None of the limits binds. */
export interface DrainCase {
  readonly name: string
  /** How many keys the jobs have, of so many jobs; 0: none. */
  readonly keysOf: (jobs: number) => number
  readonly limit?: Omit<LimitRule, 'queue'>
}

const unbound = 1_000_000
const ofEachKey = { scope: 'each_key', maxRunning: unbound } as const

/** The unlimited queue comes first: the others are compared with it. */
export const drainCases = [
  { name: 'no limit, no keys', keysOf: () => 0 },
  { name: 'a limit on the queue, no keys', keysOf: () => 0, limit: { scope: 'queue', maxRunning: unbound } },
  { name: '1 key', keysOf: () => 1, limit: ofEachKey },
  { name: '100 keys', keysOf: () => 100, limit: ofEachKey },
  { name: 'a key for each job', keysOf: (jobs) => jobs, limit: ofEachKey },
] as const satisfies readonly DrainCase[]

export type DrainName = (typeof drainCases)[number]['name']

const script = fileURLToPath(new URL('./claimer-process.ts', import.meta.url))
const processes = 2
const batch = 100
const enqueueBatch = 1_000

/** Jobs per second of two processes that claim and end a hundred at a time. */
export async function measureDrain(
  databases: TestDatabases,
  { keysOf, limit }: DrainCase,
  count: number,
): Promise<number> {
  const database = await databases.create()
  const queue = createQueue({ connectionString: database.url })
  const workers = await forkProcesses(script, processes, { url: database.url, batch } satisfies ClaimerOrder)
  try {
    if (limit !== undefined) await queue.limits.set({ queue: 'default', ...limit })
    const fill = async (jobs: number): Promise<void> => {
      const keys = keysOf(count)
      for (let from = 0; from < jobs; from += enqueueBatch) {
        const numbers = Array.from({ length: Math.min(enqueueBatch, jobs - from) }, (_, n) => from + n)
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
