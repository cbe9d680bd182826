import type { ExecutionOutcome, JobStatus } from '@queue/core'
import type { TestDatabase } from '@queue/testing'
import pg from 'pg'
import { endedAttempts } from '@queue/test-database'
import type { AuditEntry, EffectEntry, ExecutionEntry, JobState, JobHistory } from '../checker/job-history.ts'
import type { Plan } from '../fleet/chaos-job.ts'
import type { ClientOutcome } from './history.ts'
import type { EffectPhase } from './effect-log.ts'

/** How many jobs are read at once. Their histories are in memory together. */
const batchMax = 5_000
const smallestId = '00000000-0000-0000-0000-000000000000'

/** The history of every job of the database, in the order of ids. */
export async function* readJobHistories(
  database: TestDatabase,
  fates: ReadonlyMap<string, ClientOutcome>,
): AsyncGenerator<JobHistory> {
  const queue = pg.escapeIdentifier(database.schema)
  let after = smallestId
  for (;;) {
    const jobs = await readJobs(database.pool, queue, after)
    const last = jobs.at(-1)
    if (last === undefined) return
    const bounds = { after, upTo: last.id }
    const audit = await readAudit(database.pool, bounds)
    const effects = await readEffects(database.pool, bounds)
    const executions = await readExecutions(database.pool, queue, bounds)
    for (const job of jobs) {
      yield {
        id: job.id,
        key: job.key,
        clientOutcome: job.key === null ? undefined : fates.get(job.key),
        plan: job.plan,
        maxAttempts: job.max_attempts,
        cancelRequested: job.cancel_requested,
        last: { status: job.status, token: job.token, attempts: job.attempts, crashes: job.crashes },
        result: job.result,
        audit: audit.get(job.id) ?? [],
        effects: effects.get(job.id) ?? [],
        executions: executions.get(job.id) ?? [],
      }
    }
    after = last.id
  }
}

interface JobRow extends JobState {
  readonly id: string
  readonly key: string | null
  readonly plan: Plan
  readonly max_attempts: number
  readonly cancel_requested: boolean
  readonly result: unknown
}

async function readJobs(pool: pg.Pool, queue: string, after: string): Promise<JobRow[]> {
  const { rows } = await pool.query<JobRow>(
    `SELECT id, status, lease_token::float8 AS token, attempts, crashes, payload ->> 'key' AS key,
            payload ->> 'plan' AS plan, max_attempts, cancel_requested, result
       FROM ${queue}.all_jobs WHERE id > $1 ORDER BY id LIMIT ${batchMax}`,
    [after],
  )
  return rows
}

/** The ids of one batch: above `after`, up to and including `upTo`. */
interface Bounds {
  readonly after: string
  readonly upTo: string
}

interface AuditRow {
  readonly job_id: string
  readonly from_status: JobStatus | null
  readonly to_status: JobStatus | null
  readonly from_token: number
  readonly to_token: number
  readonly from_attempts: number
  readonly to_attempts: number
  readonly from_crashes: number
  readonly to_crashes: number
  readonly max_attempts: number
  readonly cancel_requested: boolean
  readonly due: boolean
  readonly worker_state: string | null
  readonly at_ms: number
}

async function readAudit(pool: pg.Pool, { after, upTo }: Bounds): Promise<Map<string, AuditEntry[]>> {
  const { rows } = await pool.query<AuditRow>(
    `SELECT job_id, from_status, to_status, from_token::float8 AS from_token, to_token::float8 AS to_token,
            from_attempts, to_attempts, from_crashes, to_crashes, max_attempts, cancel_requested, due, worker_state,
            extract(epoch FROM at)::float8 * 1000 AS at_ms
       FROM chaos.audit WHERE job_id > $1 AND job_id <= $2 ORDER BY seq`,
    [after, upTo],
  )
  return grouped(rows, (row) => ({
    from: stateOf(row.from_status, {
      token: row.from_token,
      attempts: row.from_attempts,
      crashes: row.from_crashes,
    }),
    to: stateOf(row.to_status, { token: row.to_token, attempts: row.to_attempts, crashes: row.to_crashes }),
    maxAttempts: row.max_attempts,
    cancelRequested: row.cancel_requested,
    due: row.due,
    workerState: row.worker_state,
    atMs: row.at_ms,
  }))
}

function stateOf(status: JobStatus | null, counters: Omit<JobState, 'status'>): JobState | null {
  return status === null ? null : { status, ...counters }
}

interface EffectRow {
  readonly job_id: string
  readonly token: number
  readonly phase: EffectPhase
  readonly at_ms: number
}

async function readEffects(pool: pg.Pool, { after, upTo }: Bounds): Promise<Map<string, EffectEntry[]>> {
  const { rows } = await pool.query<EffectRow>(
    `SELECT job_id, lease_token::float8 AS token, phase, extract(epoch FROM at)::float8 * 1000 AS at_ms
       FROM chaos.effects WHERE job_id > $1 AND job_id <= $2 ORDER BY seq`,
    [after, upTo],
  )
  return grouped(rows, ({ token, phase, at_ms: atMs }) => ({ token, phase, atMs }))
}

interface ExecutionRow {
  readonly job_id: string
  readonly token: number
  readonly outcome: ExecutionOutcome
  readonly error: string | null
}

async function readExecutions(
  pool: pg.Pool,
  queue: string,
  { after, upTo }: Bounds,
): Promise<Map<string, ExecutionEntry[]>> {
  const { rows } = await pool.query<ExecutionRow>(
    `SELECT job_id, lease_token::float8 AS token, outcome, error FROM ${endedAttempts(queue)} AS x
      WHERE job_id > $1 AND job_id <= $2 ORDER BY job_id, lease_token`,
    [after, upTo],
  )
  return grouped(rows, ({ token, outcome, error }) => ({ token, outcome, error }))
}

function grouped<Row extends { readonly job_id: string }, Entry>(
  rows: readonly Row[],
  entryOf: (row: Row) => Entry,
): Map<string, Entry[]> {
  const byJob = new Map<string, Entry[]>()
  for (const row of rows) {
    const entries = byJob.get(row.job_id) ?? []
    entries.push(entryOf(row))
    byJob.set(row.job_id, entries)
  }
  return byJob
}
