import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  createQueue,
  createTenantQueues,
  type Job,
  QueueError,
  type ScopedQueue,
  scopeQueue,
  WaitTimeoutError,
} from '@queue/core'
import { insertJob, type TestDatabase } from '@queue/testing'
import { createMutatedPool } from '../mutants/mutated-pool.ts'
import type { Random } from '../nemesis/random.ts'
import type { ScenarioContext } from '../scenarios/scenario.ts'

type Bounds = {
  readonly tenantId?: string
  readonly queues?: readonly string[]
  readonly kinds?: readonly string[]
}
type Place = Pick<Job, 'tenantId' | 'queue' | 'kind'>

/** What a job was from one change on. The change took from `beganMs` to `doneMs`, and was seen at a moment in between. */
interface Version {
  readonly beganMs: number
  readonly doneMs: number
  readonly place: Place
  readonly state: 'waits' | 'ended' | 'gone'
}

interface MovingJob {
  readonly id: string
  readonly versions: Version[]
}

interface Waiter {
  readonly name: string
  readonly bounds: Bounds
  readonly queue: Pick<ScopedQueue, 'waitFor'>
}

interface Outcome extends Waiter {
  readonly job: MovingJob
  readonly startedMs: number
  readonly settledMs: number
  /** When a wait of the same bounds that began after this one had its first answer of the database. */
  readonly answeredMs: number
  readonly ended?: Job
  readonly error?: unknown
}

export interface BoundedWaits {
  readonly faults: string[]
  /** The number of waits by outcome. */
  readonly outcomes: Readonly<Record<'ended' | 'not found' | 'timed out', number>>
}

const jobsPerWaiter = 60
const timeouts = [50, 500, 1_500]
/** The waits that begin together. */
const groupSize = 50
/** How long after the answer to a later wait an earlier one may still take to settle by an answer of its own. */
const settlingMs = 200

/** Waits with and without bounds for jobs that meanwhile end, live again, move out of the bounds and back, and vanish. */
export async function raceBoundedWaits(
  database: TestDatabase,
  {
    random,
    waits,
    signal,
    mutation,
  }: Pick<ScenarioContext, 'random' | 'signal' | 'mutation'> & { readonly waits: number },
): Promise<BoundedWaits> {
  const { pool } = createMutatedPool(database.urlAs('api'), mutation)
  const whole = createQueue({ pool })
  const tenants = createTenantQueues({
    queue: whole,
    connectionString: database.urlAs('api_tenant'),
  })
  const [acme, mine, some] = [{ tenantId: 'acme' }, { queues: ['mine'] }, { tenantId: 'acme', kinds: ['a'] }]
  const waiters: Waiter[] = [
    { name: 'no bounds', bounds: {}, queue: whole },
    { name: 'a tenant, by views', bounds: acme, queue: tenants.of(acme) },
    { name: 'a tenant, by conditions', bounds: acme, queue: scopeQueue(whole, acme) },
    { name: 'queues', bounds: mine, queue: scopeQueue(whole, mine) },
    { name: 'a tenant and kinds', bounds: some, queue: tenants.of(some) },
  ]
  try {
    const jobs = await Promise.all(
      Array.from({ length: jobsPerWaiter * waiters.length }, () => insert(database, random)),
    )
    const done = new AbortController()
    const changing = [0, 1, 2].map((part) =>
      changeJobs(database, { jobs: jobs.filter((_job, n) => n % 3 === part), random, signal: done.signal }),
    )
    const groups: Promise<Outcome[]>[] = []
    for (let n = 0; n < waits && !signal.aborted; n += groupSize) {
      const begun = Array.from({ length: Math.min(groupSize, waits - n) }, () =>
        waitFor(random.pick(waiters), random.pick(jobs), random.pick(timeouts)),
      )
      groups.push(withAnswers(begun, waiters))
      await sleep(20)
    }
    const settled = (await Promise.all(groups)).flat()
    done.abort()
    await Promise.all(changing)
    return judge(settled)
  } finally {
    await tenants.close()
    await whole.close()
    await pool.end()
  }
}

function drawPlace(random: Random): Place {
  return {
    tenantId: random.pick(['acme', 'other', null]),
    queue: random.pick(['mine', 'theirs']),
    kind: random.pick(['a', 'b']),
  }
}

async function insert(database: TestDatabase, random: Random): Promise<MovingJob> {
  const place = drawPlace(random)
  const { id } = await insertJob(database, place)
  return { id, versions: [{ beganMs: 0, doneMs: performance.now(), place, state: 'waits' }] }
}

async function changeJobs(
  { pool, schema }: TestDatabase,
  {
    jobs,
    random,
    signal,
  }: { readonly jobs: readonly MovingJob[]; readonly random: Random; readonly signal: AbortSignal },
): Promise<void> {
  const table = `"${schema}".jobs`
  while (!signal.aborted) {
    const { id, versions } = random.pick(jobs)
    const latest = versions.at(-1)
    await sleep(2)
    if (latest === undefined || latest.state === 'gone') continue
    const change = random.pick([
      'end',
      'live',
      'move',
      'move',
      'move',
      random.chance(0.1) ? 'vanish' : 'move',
    ])
    const place = change === 'move' ? drawPlace(random) : latest.place
    const states = { end: 'ended', live: 'waits', move: latest.state, vanish: 'gone' } as const
    const beganMs = performance.now()
    if (change === 'end')
      await pool.query(
        `UPDATE ${table} SET status = 'cancelled', cancel_requested = true, finished_at = now() WHERE id = $1`,
        [id],
      )
    if (change === 'live')
      await pool.query(
        `UPDATE ${table} SET status = 'queued', cancel_requested = false, finished_at = NULL WHERE id = $1`,
        [id],
      )
    if (change === 'move')
      await pool.query(`UPDATE ${table} SET tenant_id = $2, queue = $3, kind = $4 WHERE id = $1`, [
        id,
        place.tenantId,
        place.queue,
        place.kind,
      ])
    if (change === 'vanish') await pool.query(`DELETE FROM ${table} WHERE id = $1`, [id])
    versions.push({ beganMs, doneMs: performance.now(), place, state: states[change as keyof typeof states] })
  }
}

/** Adds to the outcomes of waits that have just begun when the database answered. A busy machine takes its time. */
async function withAnswers(
  begun: readonly Promise<Omit<Outcome, 'answeredMs'>>[],
  waiters: readonly Waiter[],
): Promise<Outcome[]> {
  const answers = new Map(waiters.map(({ name, queue }) => [name, firstAnswerMs(queue)]))
  return Promise.all(
    begun.map(async (wait) => {
      const outcome = await wait
      return { ...outcome, answeredMs: (await answers.get(outcome.name)) ?? Infinity }
    }),
  )
}

/** Waits for a job that never was, which ends with the first answer. */
async function firstAnswerMs(queue: Waiter['queue']): Promise<number> {
  const error: unknown = await queue.waitFor(randomUUID(), { timeoutMs: 60_000 }).catch((e: unknown) => e)
  return isNotFound(error) ? performance.now() : Infinity
}

async function waitFor(
  waiter: Waiter,
  job: MovingJob,
  timeoutMs: number,
): Promise<Omit<Outcome, 'answeredMs'>> {
  const startedMs = performance.now()
  const answer = await waiter.queue.waitFor(job.id, { timeoutMs }).then(
    (ended) => ({ ended }),
    (error: unknown) => ({ error }),
  )
  return { ...waiter, job, startedMs, settledMs: performance.now(), ...answer }
}

function judge(settled: readonly Outcome[]): BoundedWaits {
  const outcomes = { ended: 0, 'not found': 0, 'timed out': 0 }
  const faults: string[] = []
  for (const outcome of settled) {
    const { error, ended, name, job } = outcome
    const kind =
      ended !== undefined
        ? 'ended'
        : error instanceof WaitTimeoutError
          ? 'timed out'
          : isNotFound(error)
            ? 'not found'
            : undefined
    if (kind !== undefined) outcomes[kind] += 1
    const fault = kind === undefined ? `was rejected with ${String(error)}` : faultOf(outcome)
    if (fault !== undefined) faults.push(`a wait with the bounds of ${name} for job ${job.id} ${fault}`)
  }
  return { faults, outcomes }
}

/** An answer must have been true at a moment between the call and the answer. */
function faultOf({
  bounds,
  job,
  startedMs,
  settledMs,
  answeredMs,
  ended,
  error,
}: Outcome): string | undefined {
  const possible = job.versions.filter(
    ({ beganMs }, n) => beganMs <= settledMs && (job.versions[n + 1]?.doneMs ?? Infinity) >= startedMs,
  )
  const isSeen = ({ place, state }: Version): boolean => state !== 'gone' && isWithin(place, bounds)
  if (ended !== undefined) {
    if (!isWithin(ended, bounds)) return 'told a job beyond them'
    return possible.some((version) => isSeen(version) && version.state === 'ended')
      ? undefined
      : 'told an end that was not within them'
  }
  if (isNotFound(error))
    return possible.every(isSeen) ? 'did not find a job that was always within them' : undefined
  const state = error instanceof WaitTimeoutError ? error.job : undefined
  if (state !== undefined && !possible.some(isSeen))
    return 'told the state of a job that was never within them'
  if (settledMs < answeredMs + settlingMs) return undefined
  if (!possible.some(isSeen)) return 'waited for a job that was never within them'
  return possible.every((version) => isSeen(version) && version.state === 'ended')
    ? 'missed an end'
    : undefined
}

function isNotFound(error: unknown): boolean {
  return error instanceof QueueError && error.code === 'job_not_found'
}

function isWithin({ tenantId, queue, kind }: Place, { tenantId: tenant, queues, kinds }: Bounds): boolean {
  return (
    (tenant === undefined || tenantId === tenant) &&
    (queues === undefined || queues.includes(queue)) &&
    (kinds === undefined || kinds.includes(kind))
  )
}
