import type { Plan } from '../fleet/chaos-job.ts'
import type { Random } from '../nemesis/random.ts'
import type { ChaosJob, Client } from './client.ts'

export interface LoadOptions {
  readonly jobs: number
  readonly random: Random
  /** The plan of each job is a random one of these. */
  readonly mix: readonly Plan[]
  /** Each handler takes between 0 and this many milliseconds. */
  readonly msMax: number
  readonly maxAttempts: number
  /** The share of the jobs that the client cancels after their enqueue; default 0. */
  readonly cancelShare?: number
}

/** The load of the clients while the nemesis causes faults. */
export interface Load {
  /** Enqueues jobs until this share of all jobs, from 0 to 1, has been enqueued. */
  feed(share: number): Promise<void>
}

const batchMax = 200
/** Jobs that always fail get few attempts, so that they end soon. */
const failingAttemptsMax = 2

export function createLoad(client: Client, options: LoadOptions): Load {
  const { jobs, random, mix, msMax, maxAttempts, cancelShare = 0 } = options
  const cancels = random.fork('cancels')
  let fed = 0
  const next = (): ChaosJob => {
    const plan = random.pick(mix)
    return {
      plan,
      key: `k${(fed += 1)}`,
      ms: random.between(0, msMax),
      options: {
        maxAttempts: plan === 'fail_always' ? Math.min(failingAttemptsMax, maxAttempts) : maxAttempts,
      },
    }
  }
  const feedBatch = async (count: number): Promise<void> => {
    const batch = Array.from({ length: count }, next)
    const ids = await client.enqueue(batch)
    for (const [index, id] of (ids ?? []).entries()) {
      const key = batch[index]?.key
      if (key !== undefined && cancels.chance(cancelShare)) await client.cancel({ key, id })
    }
  }
  return {
    feed: async (share) => {
      const upTo = Math.ceil(Math.min(1, share) * jobs)
      while (fed < upTo) await feedBatch(Math.min(batchMax, upTo - fed))
    },
  }
}
