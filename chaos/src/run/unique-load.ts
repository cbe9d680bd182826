import type { UniqueScope } from '@queue/core'
import type { Plan } from '../fleet/chaos-job.ts'
import type { Random } from '../nemesis/random.ts'
import type { Client } from './client.ts'

/** What an enqueue under a unique key was told. */
export interface UniqueAnswer {
  readonly uniqueKey: string
  readonly scope: UniqueScope
  /** The new job, or the one that holds the key. */
  readonly id: string
  readonly isConflict: boolean
}

/** Clients that want the same keys at the same time, while the nemesis does its own. */
export interface UniqueLoad {
  readonly answers: readonly UniqueAnswer[]
  /** Several enqueues of each key at once. */
  compete(): Promise<void>
  /** One enqueue of each key, when all jobs have ended; gives what is wrong with the answers. */
  askOnceMore(): Promise<string[]>
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
/** Ahead of the other jobs, so that keys come free again. Crashes use up attempts. */
const options = { priority: 0, maxAttempts: 25 } as const

export function createUniqueLoad(client: Client, random: Random): UniqueLoad {
  const answers: UniqueAnswer[] = []
  let asked = 0
  const ask = async (unique: (typeof uniques)[number]): Promise<UniqueAnswer | undefined> => {
    const payload = { key: `u${(asked += 1)}`, plan: random.pick(mix), ms: random.between(0, msMax) }
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
          .map(ask),
      )
    },
    askOnceMore: async () => {
      const last = await Promise.all(uniques.map(ask))
      return uniques.flatMap(({ key, scope }, index) => {
        const isConflict = last[index]?.isConflict
        if (isConflict === (scope === 'window')) return []
        const told = isConflict === undefined ? 'not answered' : isConflict ? 'held' : 'free'
        return [`the unique key ${key} is ${told} when all jobs have ended`]
      })
    },
  }
}
