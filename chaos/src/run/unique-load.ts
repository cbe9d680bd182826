import type { UniqueScope } from '@queue/core'
import type { TestDatabase } from '@queue/testing'
import type { UniqueAnswer } from '../checker/check-unique.ts'
import type { Plan } from '../fleet/chaos-job.ts'
import type { Random } from '../nemesis/random.ts'
import { readMoment } from '../record/snapshot.ts'
import type { Client } from './client.ts'

/** Clients that compete for the same unique keys while the nemesis causes faults. */
export interface UniqueLoad {
  readonly answers: readonly UniqueAnswer[]
  /** Makes several enqueues of each key at once. */
  compete(): Promise<void>
  /** Makes one enqueue of each key after all jobs have ended. Resolves with the faults of the answers. */
  checkFinalAnswers(): Promise<string[]>
}

/** Longer than a run. */
export const uniqueWindowMs = 3_600_000

const scopes = {
  waiting: { scope: 'waiting' },
  live: { scope: 'live' },
  window: { scope: 'window', windowMs: uniqueWindowMs },
} as const satisfies Record<UniqueScope, object>

const uniques = Object.values(scopes).flatMap((unique) =>
  [1, 2].map((n) => ({ ...unique, key: `${unique.scope}-${n}` })),
)
const rivals = 3
const mix = ['succeed', 'linger', 'fail_once', 'transact'] as const satisfies readonly Plan[]
const msMax = 12
/** With priority over the other jobs, so that keys become free again. There are many attempts, because crashes use them up. */
const options = { priority: 0, maxAttempts: 25 } as const

export interface UniqueLoadDeps {
  readonly client: Client
  readonly database: Pick<TestDatabase, 'pool'>
  readonly random: Random
}

export function createUniqueLoad({ client, database, random }: UniqueLoadDeps): UniqueLoad {
  const answers: UniqueAnswer[] = []
  let enqueues = 0
  const enqueueUnder = async (unique: (typeof uniques)[number]): Promise<UniqueAnswer | undefined> => {
    const request = `u${(enqueues += 1)}`
    const payload = { key: request, plan: random.pick(mix), ms: random.between(0, msMax) }
    const before = await readMoment(database)
    const enqueued = await client.enqueueUnique({ ...payload, options: { ...options, unique } })
    if (enqueued === undefined) return undefined
    const answered = await readMoment(database)
    const { job, conflict: outcome = 'new' } = enqueued
    const { key: uniqueKey, scope } = unique
    const call = { before, answered, committed: answered }
    const answer = { ...call, request, uniqueKey, scope, policy: 'return', outcome, jobId: job.id } as const
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
        const outcome = last[index]?.outcome
        if (outcome === (scope === 'window' ? 'returned' : 'new')) return []
        return [`the unique key ${key} is ${outcome ?? 'not answered'} after all jobs have ended`]
      })
    },
  }
}
