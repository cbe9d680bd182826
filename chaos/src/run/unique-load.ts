import type { UniqueScope } from '@queue/core'
import type { Plan } from '../fleet/chaos-job.ts'
import type { Random } from '../nemesis/random.ts'
import type { Client } from './client.ts'

/** The answer to an enqueue with a unique key. */
export interface UniqueAnswer {
  readonly uniqueKey: string
  readonly scope: UniqueScope
  /** The new job, or the one that holds the key. */
  readonly id: string
  readonly isConflict: boolean
}

/** Clients that compete for the same unique keys while the nemesis causes faults. */
export interface UniqueLoad {
  readonly answers: readonly UniqueAnswer[]
  /** Makes several enqueues of each key at once. */
  compete(): Promise<void>
  /** Makes one enqueue of each key after all jobs have ended. Resolves with the faults of the answers. */
  checkFinalAnswers(): Promise<string[]>
}

const scopes = {
  waiting: { scope: 'waiting' },
  live: { scope: 'live' },
  window: { scope: 'window', windowMs: 3_600_000 },
} as const satisfies Record<UniqueScope, object>

const uniques = Object.values(scopes).flatMap((unique) =>
  [1, 2].map((n) => ({ ...unique, key: `${unique.scope}-${n}` })),
)
const rivals = 3
const mix = ['succeed', 'linger', 'fail_once', 'transact'] as const satisfies readonly Plan[]
const msMax = 12
/** With priority over the other jobs, so that keys become free again. There are many attempts, because crashes use them up. */
const options = { priority: 0, maxAttempts: 25 } as const

export function createUniqueLoad(client: Client, random: Random): UniqueLoad {
  const answers: UniqueAnswer[] = []
  let enqueues = 0
  const enqueueUnder = async (unique: (typeof uniques)[number]): Promise<UniqueAnswer | undefined> => {
    const payload = { key: `u${(enqueues += 1)}`, plan: random.pick(mix), ms: random.between(0, msMax) }
    const enqueued = await client.enqueueUnique({ ...payload, options: { ...options, unique } })
    if (enqueued === undefined) return undefined
    const { job, conflict } = enqueued
    const { key: uniqueKey, scope } = unique
    const answer = { uniqueKey, scope, id: job.id, isConflict: conflict !== undefined }
    answers.push(answer)
    return answer
  }
  return {
    answers,
    compete: async () => {
      await Promise.all(
        Array.from({ length: rivals }, () => uniques)
          .flat()
          .map(enqueueUnder),
      )
    },
    checkFinalAnswers: async () => {
      const last = await Promise.all(uniques.map(enqueueUnder))
      return uniques.flatMap(({ key, scope }, index) => {
        const isConflict = last[index]?.isConflict
        if (isConflict === (scope === 'window')) return []
        const state = isConflict === undefined ? 'not answered' : isConflict ? 'held' : 'free'
        return [`the unique key ${key} is ${state} after all jobs have ended`]
      })
    },
  }
}
