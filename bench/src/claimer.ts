import {
  type Claim,
  claimJobs,
  ClaimMemory,
  type ConnectedDatabase,
  finishJobs,
  registerWorker,
} from '@queue/core/internal'

const queues = ['default']
const waitOptions = { answerWithinMs: 300_000, clock: { nowMs: () => undefined } } as const

/** Claims and finishes jobs as a worker does, with scan positions and without handlers. */
export interface Claimer {
  claim(limit: number): Promise<Claim>
  /** `resultText` is the JSON text of the result of each; default null: without one. */
  finish(jobs: Claim['jobs'], resultText?: string | null): Promise<void>
}

export interface ClaimerOptions {
  readonly workerId: string
  /** The kind of its jobs. */
  readonly kind: string
}

/** Registers a worker whose lease outlasts any measurement. */
export async function createClaimer(
  database: ConnectedDatabase,
  { workerId, kind }: ClaimerOptions,
): Promise<Claimer> {
  const kinds = [kind]
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
    finish: async (jobs, resultText = null) => {
      if (jobs.length === 0) return
      await finishJobs(
        database,
        jobs.map(({ lease }) => ({ lease, resultText, note: null })),
      )
    },
  }
}
