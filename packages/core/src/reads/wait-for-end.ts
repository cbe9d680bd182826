// Waits for the ends of jobs. All waits of one queue share their statements.
import { createAlarm, monotonicMs, timerMsMax } from '@queue/loop'
import { sql } from 'kysely'
import { jobsByIds } from '../database/archive.ts'
import type { ConnectedDatabase, QueueDatabase } from '../database/connect.ts'
import { decodeJob, type JobRow, jobColumns } from '../database/job-row.ts'
import { andWithin } from '../database/scope.ts'
import { QueueError } from '../domain/errors.ts'
import type { Job } from '../domain/job.ts'
import {
  waitFailuresMax,
  waitPollMsMax,
  waitPollMsMin,
  waitReadMax,
  waitStatesMax,
} from '../domain/limits.ts'
import { isJobId } from '../domain/job-id.ts'
import { isTerminal } from '../domain/transitions.ts'
import { type JobState, jobStates } from './job-states.ts'

export interface WaitForOptions {
  /** How long to wait, in milliseconds. Default: until the job ends. */
  readonly timeoutMs?: number | undefined
  /** Ends the wait: it rejects with the reason of the signal. The job continues. */
  readonly signal?: AbortSignal | undefined
}

/** A job did not end within the time that the caller gave. The job itself continues. */
export class WaitTimeoutError extends Error {
  override readonly name = 'WaitTimeoutError'
  readonly jobId: string
  /** The state of the job as it was last read. Undefined if it was never read. */
  readonly job: JobState | undefined

  constructor({ jobId, timeoutMs, job }: Pick<WaitTimeoutError, 'jobId' | 'job'> & { timeoutMs: number }) {
    const lastStatus = job === undefined ? 'its status is unknown' : `its last known status is ${job.status}`
    super(`job ${jobId} did not end within ${timeoutMs} ms; ${lastStatus}`)
    this.jobId = jobId
    this.job = job
  }
}

/** Where waits poll. They see only the jobs in its scope, and end with it. */
export type WaitDatabase = QueueDatabase & Partial<Pick<ConnectedDatabase, 'closing'>>

/** The waits of one queue. */
export interface EndWaits {
  /** Resolves with the job once it has ended. */
  waitFor(job: string | Job, options?: WaitForOptions): Promise<Job>
  /** Rejects all waits, and resolves when no statement of theirs is under way. */
  close(): Promise<void>
}

/** One call of `waitFor`. Its times are those of the monotonic clock. */
interface Wait {
  readonly id: string
  readonly timeoutMs: number
  readonly timesOutAtMs: number
  /** The interval before the next poll. It doubles with each poll. */
  pollMs: number
  pollAtMs: number
  /** Polls in a row that the database has not answered. */
  failures: number
  /** As it was last read. */
  state: JobState | undefined
  readonly resolve: (job: Job) => void
  readonly reject: (error: unknown) => void
}

/**
 * One statement at a time reads the states of all jobs that are due for a poll, and another one the documents of those that have
 * ended. No connection is held between two polls. The end of a job sends no notification (docs/decisions/0250).
 */
export function createEndWaits(database: WaitDatabase): EndWaits {
  const waits = new Set<Wait>()
  const alarm = createAlarm()
  let running: Promise<void> | undefined
  let polling: Promise<void> | undefined
  let isClosed = false

  const rejectAll = (): void => {
    isClosed = true
    for (const { reject } of waits) reject(queueClosed())
  }

  const run = async (): Promise<void> => {
    // Only while somebody waits: a queue of a tenant is made for one request, and nobody closes it.
    database.closing?.addEventListener('abort', rejectAll)
    while (waits.size > 0) {
      const nowMs = monotonicMs()
      rejectTimedOut(waits, nowMs)
      const due = polling === undefined ? dueWaits(waits, nowMs) : []
      if (due.length > 0) {
        polling = poll(database, due).finally(() => {
          polling = undefined
          alarm.ring()
        })
      }
      await alarm.wait(msUntilNext(waits, { nowMs, isPolling: polling !== undefined }))
    }
    database.closing?.removeEventListener('abort', rejectAll)
    running = undefined
  }

  const add = async (job: string | Job, { timeoutMs, signal }: WaitForOptions): Promise<Job> => {
    const { promise, resolve, reject } = Promise.withResolvers<Job>()
    const wait = newWait(job, { timeoutMs, resolve, reject })
    const abort = (): void => reject(signal?.reason)
    signal?.addEventListener('abort', abort, { once: true })
    waits.add(wait)
    running ??= run()
    alarm.ring()
    try {
      return await promise
    } finally {
      signal?.removeEventListener('abort', abort)
      waits.delete(wait)
      alarm.ring()
    }
  }

  return {
    waitFor: async (job, options = {}) => {
      options.signal?.throwIfAborted()
      if (isClosed || database.closing?.aborted === true) throw queueClosed()
      return typeof job === 'object' && isTerminal(job.status) ? job : add(job, options)
    },
    close: async () => {
      rejectAll()
      await Promise.all([running, polling])
    },
  }
}

function newWait(
  job: string | Job,
  { timeoutMs = Infinity, ...answers }: Pick<Wait, 'resolve' | 'reject'> & Pick<WaitForOptions, 'timeoutMs'>,
): Wait {
  const nowMs = monotonicMs()
  const given = typeof job === 'string' ? { id: job, state: undefined } : { id: job.id, state: job }
  // As the database writes it, which takes an id in upper case too.
  const known = { ...given, id: isJobId(given.id) ? given.id.toLowerCase() : given.id }
  const polls = { pollMs: waitPollMsMin, pollAtMs: nowMs, failures: 0 }
  return { ...answers, ...known, ...polls, timeoutMs, timesOutAtMs: nowMs + timeoutMs }
}

function rejectTimedOut(waits: ReadonlySet<Wait>, nowMs: number): void {
  for (const { id, timeoutMs, timesOutAtMs, state, reject } of waits) {
    if (timesOutAtMs <= nowMs) reject(new WaitTimeoutError({ jobId: id, timeoutMs, job: state }))
  }
}

/** The waits that one statement serves. Those that are due soon join it, so that it saves a statement of their own. */
function dueWaits(waits: ReadonlySet<Wait>, nowMs: number): Wait[] {
  if (![...waits].some(({ pollAtMs }) => pollAtMs <= nowMs)) return []
  return [...waits]
    .filter(({ pollAtMs }) => pollAtMs <= nowMs + waitPollMsMin)
    .sort((one, other) => one.pollAtMs - other.pollAtMs)
    .slice(0, waitStatesMax)
}

function msUntilNext(
  waits: ReadonlySet<Wait>,
  { nowMs, isPolling }: { readonly nowMs: number; readonly isPolling: boolean },
): number {
  let nextMs = Infinity
  for (const { timesOutAtMs, pollAtMs } of waits) {
    nextMs = Math.min(nextMs, timesOutAtMs, isPolling ? Infinity : pollAtMs)
  }
  return Math.min(timerMsMax, Math.max(0, Math.ceil(nextMs - nowMs)))
}

/** Reads the jobs of these waits, and ends the waits whose jobs have ended or do not exist. Never rejects. */
async function poll(database: QueueDatabase, due: readonly Wait[]): Promise<void> {
  try {
    const states = await jobStates(database, [...new Set(due.map(({ id }) => id))])
    const byId = new Map(states.map((state) => [state.id, state]))
    const ended: Wait[] = []
    for (const wait of due) {
      wait.failures = 0
      wait.state = byId.get(wait.id)
      if (wait.state === undefined) wait.reject(new QueueError('job_not_found', `there is no job ${wait.id}`))
      else if (isTerminal(wait.state.status)) ended.push(wait)
    }
    await resolveEnded(database, ended)
  } catch (error) {
    for (const wait of due) {
      wait.failures += 1
      const mayPass = error instanceof QueueError && error.code === 'database_unavailable'
      if (!mayPass || wait.failures > waitFailuresMax) wait.reject(error)
    }
  } finally {
    const nowMs = monotonicMs()
    for (const wait of due) {
      wait.pollAtMs = nowMs + wait.pollMs
      wait.pollMs = Math.min(waitPollMsMax, wait.pollMs * 2)
    }
  }
}

/** A job that was requeued since its state was read has not ended, and its wait goes on. */
async function resolveEnded(database: QueueDatabase, ended: readonly Wait[]): Promise<void> {
  const ids = [...new Set(ended.map(({ id }) => id))]
  for (let start = 0; start < ids.length; start += waitReadMax) {
    const jobs = await readEndedJobs(database, ids.slice(start, start + waitReadMax))
    const byId = new Map(jobs.map((job) => [job.id, job]))
    for (const { id, resolve } of ended) {
      const job = byId.get(id)
      if (job !== undefined) resolve(job)
    }
  }
}

/** Those of these jobs that have ended, in no particular order. */
export async function readEndedJobs(database: QueueDatabase, ids: readonly string[]): Promise<Job[]> {
  const rows = await database.run(
    sql<JobRow>`SELECT ${jobColumns('j')} FROM ${jobsByIds(database.names, ids)} AS j
      WHERE j.finished_at IS NOT NULL${andWithin(database, 'j')}`,
  )
  return rows.map(decodeJob)
}

function queueClosed(): QueueError {
  return new QueueError('database_unavailable', 'the queue was closed before the job had ended')
}
