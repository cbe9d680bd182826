import { randomBytes } from 'node:crypto'
import { type Job, type JobStatus, limits } from '@queue/core'
import { type Column, encodeRetryPolicy, type JobColumnName, tables } from '@queue/core/internal'
import { toCamelCase } from '@queue/core/plain'

/** An instant by the database's clock: a date, or a number of milliseconds from now (negative: in the past). */
export type Instant = Date | { readonly msFromNow: number }

type InstantField =
  | 'runAt'
  | 'lockedAt'
  | 'expiresAt'
  | 'createdAt'
  | 'updatedAt'
  | 'strippedAt'
  | 'finishedAt'

/** The values of a job to insert. Absent values get a default that fits the status. */
export type JobOverrides = Partial<Omit<Job, InstantField>> &
  Partial<Record<InstantField, Instant | null>> & {
    /** The lease token; default: the number of attempts. */
    readonly leaseToken?: number
    readonly idempotencyFingerprint?: Buffer | null
  }

/** The values of a row of `jobs`, by column. */
export type JobColumns = Readonly<Record<JobColumnName, unknown>>

const now: Instant = { msFromNow: 0 }

/** A row that satisfies every invariant of its status, unless the overrides break one on purpose. */
export function jobColumns(overrides: JobOverrides): JobColumns {
  const status = overrides.status ?? 'queued'
  const maxAttempts = overrides.maxAttempts ?? limits.maxAttemptsDefault
  const attempts = overrides.attempts ?? attemptsOf(status, maxAttempts)
  const running = status === 'running'
  const failed = status === 'failed_permanent' || status === 'retrying'
  const ended = status === 'succeeded' || status === 'cancelled' || status === 'failed_permanent'
  const keepsAttempt = status === 'succeeded' && attempts > 0 && (overrides.strippedAt ?? null) === null
  const idempotencyKey = overrides.idempotencyKey ?? null
  const row = {
    id: mintId(overrides.createdAt ?? now),
    kind: 'test_job',
    payload: {},
    attempts,
    leaseToken: attempts,
    lastError: failed ? 'the attempt failed' : null,
    lockedAt: running ? now : null,
    lockedBy: running ? 'test-worker' : null,
    startedAt: keepsAttempt ? (overrides.createdAt ?? now) : null,
    workerId: keepsAttempt ? 'test-worker' : null,
    cancelRequested: status === 'cancelled',
    idempotencyFingerprint: idempotencyKey === null ? null : Buffer.alloc(32),
    finishedAt: ended ? now : null,
    ...overrides,
    idempotencyKey,
    ...(overrides.retryPolicy ? { retryPolicy: encodeRetryPolicy(overrides.retryPolicy) } : {}),
  }
  const values: Readonly<Record<string, unknown>> = row
  return Object.fromEntries(
    Object.entries<Column>(tables.jobs.columns).map(([name, column]) => {
      const field = toCamelCase(name)
      return [name, field in values ? values[field] : tableDefault(column)]
    }),
  ) as JobColumns
}

/** The default of a column in its table; an instant is now. */
function tableDefault({ default: value }: Column): unknown {
  return typeof value === 'object' ? now : (value ?? null)
}

/** The number of attempts that a job in this status usually has. */
function attemptsOf(status: JobStatus, maxAttempts: number): number {
  if (status === 'queued' || status === 'cancelled') return 0
  return status === 'failed_permanent' ? maxAttempts : 1
}

/** A UUIDv7 with the time of creation, because the order of ids is the order of creation. */
function mintId(createdAt: Instant): string {
  const ms = createdAt instanceof Date ? createdAt.getTime() : Date.now() + createdAt.msFromNow
  const time = Math.floor(ms).toString(16).padStart(12, '0')
  const random = randomBytes(9).toString('hex')
  return `${time.slice(0, 8)}-${time.slice(8)}-7${random.slice(0, 3)}-8${random.slice(3, 6)}-${random.slice(6)}`
}
