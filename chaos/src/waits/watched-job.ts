import { setTimeout as sleep } from 'node:timers/promises'
import type { TestDatabase } from '@queue/testing'
import type { Random } from '../nemesis/random.ts'

type State = 'waits' | 'ended' | 'gone'

/** What a job was from one change on. The change took from `beganMs` to `doneMs`, and was seen at a moment in between. */
interface Version {
  readonly beganMs: number
  readonly doneMs: number
  readonly state: State
}

/** A job that changes while others wait for its end. */
export interface WatchedJob {
  readonly id: string
  /** Of a job with a key, which is never removed. */
  readonly idempotencyKey: string | undefined
  readonly versions: Version[]
}

/** The states that a job may have been seen in between two moments. */
export function statesBetween({ versions }: WatchedJob, fromMs: number, toMs: number): ReadonlySet<State> {
  const possible = versions.filter(
    ({ beganMs }, n) => beganMs <= toMs && (versions[n + 1]?.doneMs ?? Infinity) >= fromMs,
  )
  return new Set(possible.map(({ state }) => state))
}

const setters: Readonly<Record<Exclude<State, 'gone'>, string>> = {
  ended: `status = 'cancelled', cancel_requested = true, finished_at = now()`,
  waits: `status = 'queued', cancel_requested = false, finished_at = NULL`,
}

interface Changing {
  readonly jobs: readonly WatchedJob[]
  readonly random: Random
  readonly signal: AbortSignal
}

/** How many jobs change at a time. An answer that comes too early needs a change just while its job is read. */
const changesAtOnce = 3

/** Jobs end, live again at once or later, and vanish. Few stay ended, so that most waits last. */
export async function changeJobs(database: TestDatabase, { jobs, random, signal }: Changing): Promise<void> {
  const changing = Array.from({ length: changesAtOnce }, (_, n) =>
    changeOneByOne(database, {
      jobs: jobs.filter((_job, index) => index % changesAtOnce === n),
      random: random.fork(`changes ${n}`),
      signal,
    }),
  )
  await Promise.all(changing)
}

async function changeOneByOne(
  { pool, schema }: TestDatabase,
  { jobs, random, signal }: Changing,
): Promise<void> {
  const table = `"${schema}".jobs`
  const become = async ({ id, versions }: WatchedJob, state: State): Promise<void> => {
    const beganMs = performance.now()
    if (state === 'gone') await pool.query(`DELETE FROM ${table} WHERE id = $1`, [id])
    else await pool.query(`UPDATE ${table} SET ${setters[state]}, updated_at = now() WHERE id = $1`, [id])
    versions.push({ beganMs, doneMs: performance.now(), state })
  }
  while (!signal.aborted) {
    await sleep(2)
    const job = random.pick(jobs)
    if (job.versions.at(-1)?.state !== 'waits') continue
    if (job.idempotencyKey === undefined && random.chance(0.01)) await become(job, 'gone')
    else {
      await become(job, 'ended')
      if (random.chance(0.97)) await become(job, 'waits')
    }
  }
}
