import {
  type ClaimedJob,
  claimJobs,
  ClaimMemory,
  type Completion,
  expireJobs,
  finishJobs,
  pruneJobs,
  retryOrDeadLetterJobs,
  snoozeJobs,
  writeLogs,
  databaseOf,
} from '@queue/core/internal'
import type { Random } from '../nemesis/random.ts'
import type { ActSession } from './act-session.ts'
import { fingerprints, kinds, queues } from './population.ts'
import type { ActName, Records } from './records.ts'

export interface WorkerDeps {
  readonly session: ActSession
  readonly records: () => Records
  readonly random: Random
  readonly workerId: string
}

const claimMax = 4
const retention = { succeededMs: 200, cancelledMs: 400, failedMs: 400 }
const heldMax = 10

/** Returns what makes the next act of a worker: it claims, and ends attempts in every way. */
export function createWorker({ session, records, random, workerId }: WorkerDeps): () => Promise<void> {
  const database = databaseOf(session.queue)
  const memory = new ClaimMemory([...queues])
  const held: ClaimedJob[] = []
  const act = (name: ActName, work: () => Promise<number>): Promise<void> =>
    session.act(name, async (named) => {
      records().ones.push({ name: named.name, jobs: await work() })
    })
  const claim = async (): Promise<number> => {
    // Acts on jobs make some due that lie before the scan positions. A real worker is notified.
    memory.rescanFor('any')
    const { jobs } = await claimJobs(database, {
      workerId,
      memory,
      kinds: [...kinds],
      limit: claimMax,
      eligible: 'any',
      answerWithinMs: 3_600_000,
      clock: { nowMs: () => undefined },
    })
    held.push(...(jobs as readonly ClaimedJob[]))
    return jobs.length
  }
  const end = async (job: ClaimedJob): Promise<number> => {
    const { lease } = job
    if (random.chance(0.3)) {
      const line = { line: 1, atMs: Date.now(), level: 'info', message: 'began', fieldsText: null } as const
      await writeLogs(database, [{ lease, attempt: job.attempt, lines: [line] }])
    }
    const fail = (permanent: boolean): Promise<Completion[]> => {
      const cause = { errorClass: 'Error', fingerprint: random.pick(fingerprints) }
      return retryOrDeadLetterJobs(database, [
        { lease, error: 'failed', cause, waitMs: random.between(0, 20), permanent },
      ])
    }
    const write = random.pick([
      () => finishJobs(database, [{ lease, resultText: 'null', note: null }]),
      () => fail(random.chance(0.7)),
      () => fail(random.chance(0.7)),
      () => snoozeJobs(database, [{ lease, waitMs: random.between(0, 20) }]),
    ])
    const completions = await write()
    return completions.filter(({ outcome }) => outcome === 'finished').length
  }
  const prune = async (): Promise<number> => {
    const keyMs = random.chance(0.7) ? 3_600_000 : null
    const { pruned, stripped } = await pruneJobs(database, { ...retention, keyMs }, null)
    return pruned + stripped
  }
  return () => {
    if (random.chance(0.05)) return act('expire', async () => (await expireJobs(database)).length)
    if (random.chance(0.03)) return act('prune', prune)
    const index = random.between(0, held.length)
    if (held.length >= heldMax || (held.length > 0 && random.chance(0.6))) {
      const [job] = held.splice(Math.min(index, held.length - 1), 1)
      if (job !== undefined) return act('end', () => end(job))
    }
    return act('claim', claim)
  }
}
