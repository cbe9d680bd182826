import { type ConnectedDatabase, defineJob } from '@queue/core'
import { type Claim, claimJobs, ClaimMemory, finishJobs } from '@queue/core/runtime'
import { registerWorker } from '@queue/core/workers'
import { z } from 'zod'

/** The job of this part. Its key is an option of each enqueue. */
export const limitedJob = defineJob({ kind: 'limited', payload: z.object({}) })

const queues = ['default']
const kinds = [limitedJob.kind]
const patience = { answerWithinMs: 300_000, clock: { nowMs: () => undefined } } as const

/** Claims and ends jobs as a worker does, with its memory and without handlers. */
export interface Claimer {
  claim(limit: number): Promise<Claim>
  finish(jobs: Claim['jobs']): Promise<void>
}

/** Registers a worker, whose lease outlasts any measurement. */
export async function createClaimer(database: ConnectedDatabase, workerId: string): Promise<Claimer> {
  const memory = new ClaimMemory(queues)
  const about = { hostname: 'bench', pid: 1, version: '0', concurrency: 1, leaseMs: 3_600_000 }
  await registerWorker(database, { ...about, id: workerId, queues, kinds })
  return {
    claim: (limit) => claimJobs(database, { workerId, memory, kinds, limit, eligible: 'any', ...patience }),
    finish: async (jobs) => {
      if (jobs.length === 0) return
      await finishJobs(
        database,
        jobs.map(({ lease }) => ({ lease, resultText: null, note: null })),
      )
    },
  }
}
