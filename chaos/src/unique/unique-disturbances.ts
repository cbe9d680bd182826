// What happens to jobs with unique keys beside their clients: workers that end them in every way, expiry, and kills of sessions.
import type { Queue } from '@queue/core'
import {
  type ClaimedJob,
  databaseOf,
  expireJobs,
  finishJobs,
  type QueueDatabase,
  releaseJobs,
  retryOrDeadLetterJobs,
} from '@queue/core/internal'
import type { TestDatabase } from '@queue/testing'
import { setTimeout as wait } from 'node:timers/promises'
import { withApplicationName } from '../fleet/fleet.ts'
import type { Random } from '../nemesis/random.ts'
import { openClaimers } from '../run/claimers.ts'
import { type Kills, killSessions, sessionName } from '../run/kill-sessions.ts'
import { servedQueue } from './unique-doors.ts'
import type { UniqueRecord } from './unique-record.ts'

export interface Disturbance extends Kills {
  readonly database: TestDatabase
  readonly queue: Queue
  readonly random: Random
  readonly record: Pick<UniqueRecord, 'failure'>
}

const workers = 3
/** Claims before the workers register again, with nothing in their memory. */
const claimsPerRound = 30
/** Seldom enough that requests meet jobs that have expired, and nobody has ended yet. */
const sweepIntervalMs = 300

/** Disturbs the clients until it is over. Resolves with the number of kills. */
export async function disturb(disturbance: Disturbance): Promise<number> {
  const [kills] = await Promise.all([killSessions(disturbance), work(disturbance), sweep(disturbance)])
  return kills
}

/** Claims jobs and ends them in every way. */
async function work({ database, random, record, isOver }: Disturbance): Promise<void> {
  const draws = random.fork('workers')
  const crew = await openClaimers(
    { url: withApplicationName(database.url, sessionName) },
    { count: workers, queue: servedQueue, limit: 4, end: (target, jobs) => endAll(target, jobs, draws) },
  )
  try {
    while (!isOver()) {
      const begun = crew.claims.length
      await crew
        .claimUntil(({ length }) => isOver() || length >= begun + claimsPerRound)
        .catch((error: unknown) => record.failure('a worker', error))
    }
  } finally {
    await crew.close()
  }
}

async function endAll(database: QueueDatabase, jobs: readonly ClaimedJob[], random: Random): Promise<void> {
  const leases = jobs.map(({ lease }) => lease)
  const fail = (permanent: boolean): Promise<unknown> =>
    retryOrDeadLetterJobs(
      database,
      leases.map((lease) => ({ lease, error: 'planned', waitMs: random.between(0, 20), permanent })),
    )
  const ends: readonly (() => Promise<unknown>)[] = [
    () => releaseJobs(database, leases),
    () => fail(false),
    () => fail(true),
    () =>
      finishJobs(
        database,
        leases.map((lease) => ({ lease, resultText: 'null', note: null })),
      ),
  ]
  await random.pick(ends)()
}

async function sweep({ queue, record, isOver }: Disturbance): Promise<void> {
  while (!isOver()) {
    await expireJobs(databaseOf(queue)).catch((error: unknown) => record.failure('a sweep', error))
    await wait(sweepIntervalMs)
  }
}
