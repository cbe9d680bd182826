import { z } from 'zod'
import { endedAttempts } from '@queue/dev-postgres'
import type { ActDatabase } from '../../src/audit/perform.ts'
import type { QueueDatabase } from '../../src/database/connect.ts'
import type { ClaimedJob, Job, JobStatus } from '../../src/domain/job.ts'
import { defineJob, type JobOptions } from '../../src/domain/job-definition.ts'
import type { ClaimInput } from '../../src/claims/claim.ts'
import { claimJobs } from '../../src/transitions/claim-jobs.ts'
import type { Completion } from '../../src/transitions/complete-attempts.ts'
import { finishJobs } from '../../src/transitions/finish-jobs.ts'
import { ClaimMemory } from '../../src/claims/claim-memory.ts'
import { registerWorker, type WorkerRegistration } from '../../src/workers/register-worker.ts'
import type { World } from './world.ts'

/** The database for an act: its transaction is the one that the caller is in. */
export function asActDatabase<Database extends QueueDatabase>(database: Database): Database & ActDatabase {
  return { ...database, transaction: (work) => work(database) }
}

/** A kind of job whose payload may be anything. */
export const probe = defineJob({ kind: 'probe', payload: z.unknown() })

export async function enqueueProbes(world: World, count: number, options: JobOptions = {}): Promise<Job[]> {
  const requests = Array.from({ length: count }, (_, n) => probe.create({ n }, options))
  const enqueued = await world.queue.enqueueMany(requests)
  return enqueued.map(({ job }) => job)
}

export async function enqueueProbe(world: World, options: JobOptions = {}): Promise<Job> {
  const [job] = await enqueueProbes(world, 1, options)
  if (job === undefined) throw new Error('an enqueue gave no job')
  return job
}

let workers = 0

/** Registers a worker with a live lease; returns its id. */
export async function newWorker(
  { database }: { readonly database: QueueDatabase },
  overrides: Partial<WorkerRegistration> = {},
): Promise<string> {
  workers += 1
  const worker = {
    id: `worker-${workers}`,
    hostname: 'host',
    pid: 1,
    version: '0.0.0',
    zoneVersion: '2026a',
    queues: ['default'],
    kinds: ['probe'],
    concurrency: 4,
    leaseMs: 30_000,
    ...overrides,
  }
  await registerWorker(database, worker)
  return worker.id
}

/** The options of a caller that waits longer than any test, and does not know the database's clock. */
export const patient = { answerWithinMs: 600_000, clock: { nowMs: () => undefined } } as const

/** The slots of the queue `default`, as arguments of `claim_lanes`: its priorities, its name, and shares that bound nothing. */
export const slotsOfDefault = [
  "'{0,1,2,3,4,5,6,7,8,9}'",
  `array_fill('default'::text, '{10}')`,
  `array_fill(1000, '{10}')`,
].join(', ')

export type ClaimOverrides = Partial<ClaimInput> & { readonly queues?: readonly string[] }

/** A claim without scan positions in these queues, on the pool or in the transaction of `within`. */
export async function claim(
  { database }: { readonly database: QueueDatabase },
  workerId: string,
  { queues = ['default'], ...overrides }: ClaimOverrides = {},
): Promise<readonly ClaimedJob[]> {
  const { jobs } = await claimJobs(database, {
    workerId,
    memory: new ClaimMemory(queues),
    kinds: ['probe'],
    limit: 1_000,
    eligible: 'any',
    ...patient,
    ...overrides,
  })
  // Only a claim with `payloadBytesMax` omits payloads.
  return jobs as readonly ClaimedJob[]
}

/** Records that each of these jobs has succeeded. */
export function finishAll(
  { database }: { readonly database: QueueDatabase },
  jobs: readonly ClaimedJob[],
): Promise<Completion[]> {
  return finishJobs(
    database,
    jobs.map(({ lease }) => ({ lease, resultText: null, note: null })),
  )
}

/** A job that a registered worker runs, on its first attempt. */
export async function runningJob(world: World, options: JobOptions = {}): Promise<ClaimedJob> {
  const [job] = await runningJobs(world, 1, options)
  if (job === undefined) throw new Error('a claim gave no job')
  return job
}

export async function runningJobs(
  world: World,
  count: number,
  options: JobOptions = {},
): Promise<ClaimedJob[]> {
  const jobs = await enqueueProbes(world, count, options)
  const claimed = await claim(world, await newWorker(world))
  const enqueuedIds = new Set(jobs.map((job) => job.id))
  return claimed.filter((job) => enqueuedIds.has(job.id))
}

/** A row of `jobs`, with the milliseconds from now to its start. */
export interface RawJob {
  readonly id: string
  readonly status: JobStatus
  readonly attempts: number
  readonly max_attempts: number
  readonly lease_token: number
  readonly crashes: number
  readonly cancel_requested: boolean
  readonly locked_by: string | null
  readonly is_locked_at: boolean
  readonly is_finished_at: boolean
  readonly run_in_ms: number
  readonly run_at_text: string
  readonly last_error: string | null
  readonly result: string | null
  readonly progress: number | null
}

export async function rowsOf(world: World, ids: readonly string[]): Promise<RawJob[]> {
  return world.sql<RawJob>(
    `SELECT id, status::text, attempts, max_attempts, lease_token::int, crashes, cancel_requested, locked_by,
            locked_at IS NOT NULL AS is_locked_at, finished_at IS NOT NULL AS is_finished_at,
            extract(epoch FROM run_at - now())::float8 * 1000 AS run_in_ms, run_at::text AS run_at_text,
            last_error, result::text AS result, progress
       FROM queue.all_jobs WHERE id = ANY($1::uuid[]) ORDER BY id`,
    [ids],
  )
}

export async function rowOf(world: World, id: string): Promise<RawJob> {
  const [row] = await rowsOf(world, [id])
  if (row === undefined) throw new Error(`there is no job ${id}`)
  return row
}

export interface RawExecution {
  readonly attempt: number
  readonly lease_token: number
  readonly worker_id: string
  readonly outcome: string
  readonly error: string | null
}

export async function historyOf(world: World, jobId: string): Promise<RawExecution[]> {
  return world.sql<RawExecution>(
    `SELECT attempt, lease_token::int, worker_id, outcome, error
       FROM ${endedAttempts('queue')} AS x WHERE job_id = $1 ORDER BY lease_token`,
    [jobId],
  )
}

export interface RawDeadLetter {
  readonly job_id: string
  readonly attempts: number
  readonly lease_token: number
  readonly last_error: string | null
  readonly execution_history: readonly (RawExecution & { readonly finished_at: string })[]
}

export async function deadLettersOfJob(world: World, jobId: string): Promise<RawDeadLetter[]> {
  return world.sql<RawDeadLetter>(
    `SELECT job_id, attempts, lease_token::int, last_error, execution_history
       FROM queue.dead_letter_jobs WHERE job_id = $1`,
    [jobId],
  )
}
