import type { Plan } from '../fleet/chaos-job.ts'
import type { Random } from '../nemesis/random.ts'
import type { ChaosJob, Client } from './client.ts'

export interface LoadOptions {
  readonly jobs: number
  readonly random: Random
  /** Each job's plan is drawn from these. */
  readonly mix: readonly Plan[]
  /** Each handler takes between 0 and so many milliseconds. */
  readonly msMax: number
  readonly maxAttempts: number
  /** The part of the jobs that a client cancels once they are there; default 0. */
  readonly cancelShare?: number
}

/** What the clients do while the nemesis does its own. */
export interface Load {
  /** Enqueues as many jobs as it takes to have had this share of them, from 0 to 1. */
  feed(share: number): Promise<void>
}

const batchMax = 200
/** A job that always fails needs few attempts to come to its end. */
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
