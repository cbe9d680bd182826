import { defineJob } from '@queue/core'
import {
  type Claim,
  claimJobs,
  ClaimMemory,
  type ConnectedDatabase,
  finishJobs,
  registerWorker,
} from '@queue/core/internal'
import { z } from 'zod'

/** The job of this part of the benchmark. Its key is an option of each enqueue. */
export const limitedJob = defineJob({ kind: 'limited', payload: z.object({}) })

const queues = ['default']
const kinds = [limitedJob.kind]
const waitOptions = { answerWithinMs: 300_000, clock: { nowMs: () => undefined } } as const

/** Claims and finishes jobs as a worker does, with scan positions and without handlers. */
export interface Claimer {
  claim(limit: number): Promise<Claim>
  finish(jobs: Claim['jobs']): Promise<void>
}

/** Registers a worker whose lease outlasts any measurement. */
export async function createClaimer(database: ConnectedDatabase, workerId: string): Promise<Claimer> {
  const memory = new ClaimMemory(queues)
  const processInfo = {
    hostname: 'bench',
    pid: 1,
    version: '0',
    zoneVersion: '2026a',
    concurrency: 1,
    leaseMs: 3_600_000,
  }
  await registerWorker(database, { ...processInfo, id: workerId, queues, kinds })
  return {
    claim: (limit) =>
      claimJobs(database, { workerId, memory, kinds, limit, eligible: 'any', ...waitOptions }),
    finish: async (jobs) => {
      if (jobs.length === 0) return
      await finishJobs(
        database,
        jobs.map(({ lease }) => ({ lease, resultText: null, note: null })),
      )
    },
  }
}
