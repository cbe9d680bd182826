// (nothing) → queued. Called by any user of the queue; the statement runs in a transaction of its own.
import { type RawBuilder, sql } from 'kysely'
import { asText, type Numeric, sqlState, sqlStateOf, type Statement } from '@queue/postgres'
import { jobsByIds } from '../database/archive.ts'
import { compareText } from '../database/compare-text.ts'
import type { QueueDatabase } from '../database/connect.ts'
import { earliestExpiryMs, type IdentifiedRequest, type JobInput } from '../database/job-input.ts'
import {
  createInsert,
  hasMoreRows,
  insertJobs,
  type InsertInput,
  insertMoreRows,
  insertNewJobs,
  newJobsCreatedAt,
  onConflictDoNothing,
} from '../database/job-insert.ts'
import { decodeJob, type JobRow, jobColumns } from '../database/job-row.ts'
import type { SchemaNames } from '../database/schema-names.ts'
import { andWithin, andWithinTenant } from '../database/scope.ts'
import { newJobConstants } from '../database/tables.ts'
import { InvalidInput, QueueError } from '../domain/errors.ts'
import type { Job } from '../domain/job.ts'
import { newJob } from '../domain/job-definition.ts'

/** The result of enqueuing one request. */
export interface Enqueued {
  readonly job: Job
  /** True when the idempotency key was known. `job` is then the original one, and nothing was written. */
  readonly replayed: boolean
  /** True when the key was known, but kind, queue or payload of the request differ from the original. */
  readonly mismatched: boolean
  /**
   * Present where another job holds the unique key: `job` is that job, and this says what happened to it. `refused`:
   * nothing, and the request asked for an error.
   */
  readonly conflict?: 'returned' | 'refused' | 'replaced' | 'rescheduled'
}

export interface EnqueueOptions {
  /**
   * Milliseconds to wait for another open transaction that holds the same key. Undefined inside a caller's transaction,
   * whose settings we must not change.
   */
  readonly lockTimeoutMs?: number
}

/** The lookup is a second statement, so a job that is pruned in between must be inserted once more. */
const triesMax = 3

/**
 * Writes jobs in one INSERT … ON CONFLICT DO NOTHING, and looks up the jobs that existed already. The answer has the
 * order of the requests. Rows with a key are written in the order of the keys, so that two such statements cannot
 * deadlock. Throws `idempotency_key_locked` when another open transaction holds one of the keys, or when the job of a key
 * was removed before each look-up; jobs of other keys may then have been written.
 */
export function enqueueJobs(
  database: QueueDatabase,
  requests: readonly IdentifiedRequest[],
  options: EnqueueOptions = {},
): Promise<Enqueued[]> {
  return insertOrFind(database, requests, (pending) =>
    database.run(insertStatement(database, { requests: pending, ...options }), 'frequent'),
  )
}

/** Inserts the jobs that do not exist through `insert`, and looks up the others. */
async function insertOrFind(
  database: QueueDatabase,
  requests: readonly IdentifiedRequest[],
  insert: (pending: readonly IdentifiedRequest[]) => Promise<readonly AnsweredRow[]>,
): Promise<Enqueued[]> {
  const results = new Map<string, Enqueued>()
  let pending = requests.toSorted(byKey)
  for (let tries = 0; pending.length > 0 && tries < triesMax; tries += 1) {
    const rows = await insert(pending).catch((error: unknown) => {
      throw keyLockedOr(error, pending)
    })
    for (const enqueued of insertedJobs(pending, writtenRows(pending, rows)))
      results.set(enqueued.job.id, enqueued)
    pending = pending.filter((request) => !results.has(request.id))
    for (const [id, existing] of await findExisting(database, pending)) results.set(id, existing)
    pending = pending.filter((request) => !results.has(request.id))
  }
  return requests.map((request) => {
    const enqueued = results.get(request.id)
    if (enqueued === undefined) throw keyChangesHands()
    return enqueued
  })
}

function keyChangesHands(): QueueError {
  return new QueueError(
    'idempotency_key_locked',
    'jobs with this idempotency key are written and removed all the time: try again',
  )
}

function byKey(a: IdentifiedRequest, b: IdentifiedRequest): number {
  return (
    compareText(a.tenantId ?? '', b.tenantId ?? '') ||
    compareText(a.idempotencyKey ?? '', b.idempotencyKey ?? '')
  )
}

/** A row that an insert with idempotency keys has written. */
interface InsertedRow {
  readonly id: string
  readonly run_at: Numeric
  readonly created_at: Numeric
}

/** Where an insert has written nothing, its answer is one row without an id; without an instant, it was too old. */
type AnsweredRow = InsertedRow | { readonly id: null; readonly created_at: string | null }

/** Throws `enqueue_too_old`, and `invalid_job` where an expiry has passed. */
function writtenRows(
  requests: readonly IdentifiedRequest[],
  rows: readonly AnsweredRow[],
): readonly InsertedRow[] {
  if (rows.some((row) => row.created_at === null)) throw notWritten(requests)
  return rows.filter((row) => row.id !== null)
}

function insertedJobs(
  requests: readonly IdentifiedRequest[],
  rows: readonly InsertedRow[],
): readonly Enqueued[] {
  const byId = new Map(requests.map((request) => [request.id, request]))
  return rows.flatMap((row) => {
    const request = byId.get(row.id)
    return request === undefined
      ? []
      : [{ job: insertedJob(request, row), replayed: false, mismatched: false }]
  })
}

/**
 * The error to throw: `idempotency_key_locked` where the insert could not wait for a key any longer; any other error
 * unchanged.
 */
function keyLockedOr(error: unknown, requests: readonly IdentifiedRequest[]): unknown {
  if (!hasGivenUpLock(error) || requests.every((request) => request.idempotencyKey === null)) return error
  return new QueueError(
    'idempotency_key_locked',
    'another open transaction holds this idempotency key: try again',
    { cause: error },
  )
}

/** Whether PostgreSQL ended the wait for another transaction's lock: because it was too long, or a deadlock. */
function hasGivenUpLock(error: unknown): boolean {
  const state = sqlStateOf(error)
  return state === sqlState.lockNotAvailable || state === sqlState.deadlockDetected
}

type TimedInsertInput = InsertInput & EnqueueOptions

function insertStatement({ names }: QueueDatabase, input: TimedInsertInput): Statement<AnsweredRow> {
  return input.lockTimeoutMs === undefined ? insertKeyed(names, input) : insertKeyedWithTimeout(names, input)
}

const insertKeyed = createInsert<InsertInput, AnsweredRow>(
  (names, input) => sql`
    WITH clock AS MATERIALIZED (
      SELECT clock_timestamp() AS at
    ), ${insertAndAnswer(names, input)}`,
)

/** The lock timeout is in force before the first row is written, because the rows come from `clock`. */
const insertKeyedWithTimeout = createInsert<TimedInsertInput, AnsweredRow>(
  (names, input, given) => sql`
    WITH limits AS MATERIALIZED (
      SELECT set_config('lock_timeout', ${given(({ lockTimeoutMs }) => `${lockTimeoutMs}ms`)}, true)
    ), clock AS MATERIALIZED (
      SELECT clock_timestamp() AS at FROM limits
    ), ${insertAndAnswer(names, input)}`,
)

/** The insert of jobs together with the further rows that they need, and its answer. */
function insertAndAnswer(names: SchemaNames, input: JobInput): RawBuilder<unknown> {
  return sql`written AS (
      ${insertJobs(names, input, sql`clock WHERE ${input.inTime}`)} ${onConflictDoNothing(input)}
    )${insertMoreRows(names, input)}
    SELECT ${answeredColumns(input)} FROM clock LEFT JOIN written AS w ON true`
}

/** The columns of an `AnsweredRow`, from `clock` and the row `w`, if there is one. */
function answeredColumns({ inTime }: JobInput): RawBuilder<unknown> {
  return sql`w.id, w.run_at, coalesce(w.created_at, CASE WHEN ${inTime} THEN '' END) AS created_at`
}

/**
 * Writes jobs that cannot conflict: they have no idempotency key, and their ids are sent for the first time. Without a
 * conflict to check and rows to return, the insert takes a third less time. The answer has the order of the requests.
 */
export async function enqueueNewJobs(
  database: QueueDatabase,
  requests: readonly IdentifiedRequest[],
): Promise<Enqueued[]> {
  if (requests.length === 0) return []
  const insert = requests.length === 1 ? insertOne : insertNew
  return newJobs(requests, await database.run(insert(database.names, { requests }), 'frequent'))
}

/** The jobs of an insert that has written all of its requests. */
export function newJobs(
  requests: readonly IdentifiedRequest[],
  [written]: readonly WrittenRow[],
): Enqueued[] {
  if (written === undefined || written.created_at === null) throw notWritten(requests)
  const createdMs = Number(written.created_at)
  return requests.map((request) => ({
    job: insertedJob(request, { created_at: createdMs, run_at: runAtMs(request, createdMs) }),
    replayed: false,
    mismatched: false,
  }))
}

/** The row of an insert without keys: when its jobs were created; null where it was too old, and wrote none. */
export interface WrittenRow {
  readonly created_at: Numeric | null
}

/** The error for an enqueue that has written nothing: see `inTime` of `JobInput`. */
function notWritten(requests: readonly IdentifiedRequest[]): QueueError {
  const earliestMs = earliestExpiryMs(requests)
  const place = requests.findIndex(({ expiresAt }) => expiresAt?.getTime() === earliestMs)
  return place === -1 ? enqueueTooOld() : expiredMeanwhile(requests, place)
}

/**
 * The error for the request at this place, whose expiry has passed while the enqueue waited. A request without an
 * expiry would move the holder of its unique key behind the expiry of that.
 */
export function expiredMeanwhile(requests: readonly IdentifiedRequest[], place: number): InvalidInput {
  const request = requests[place]
  const pathOf = (member: string) => (requests.length === 1 ? [member] : ['jobs', place, member])
  if (request?.expiresAt === null && request.expiresInMs === null) {
    const message = 'must be before the expiry of the job that holds the unique key'
    return new InvalidInput('invalid_job', [
      { path: pathOf(request.runAt === null ? 'delayMs' : 'runAt'), message },
    ])
  }
  const message = 'must be after the earliest start of the job'
  return new InvalidInput('invalid_job', [
    { path: pathOf(request?.expiresAt === null ? 'expiresInMs' : 'expiresAt'), message },
  ])
}

/** The error for an enqueue that has waited so long that nothing was written: see `enqueueClock`. */
export function enqueueTooOld(): QueueError {
  return new QueueError(
    'enqueue_too_old',
    'the enqueue has waited for the database for more than an hour, and nothing was written: repeat it',
  )
}

const insertNew = createInsert<InsertInput, WrittenRow>(
  (names, input) => sql`
    WITH ${insertNewJobs(names, insertOutside(names, input), input)}
    SELECT ${newJobsCreatedAt} FROM written LIMIT 1`,
)

/** The same for one job, without further rows where it has none: PostgreSQL plans it in half the time. */
const insertOne = createInsert<InsertInput, WrittenRow>((names, input) =>
  hasMoreRows(input)
    ? sql`
    WITH ${insertNewJobs(names, insertOutside(names, input), input)}
    SELECT ${newJobsCreatedAt} FROM written`
    : sql`${insertOutside(names, input)} RETURNING ${newJobsCreatedAt}`,
)

function insertOutside(names: SchemaNames, input: JobInput): RawBuilder<unknown> {
  return insertJobs(names, input, sql`clock_timestamp() AS at WHERE ${input.inTime}`)
}

/** The `run_at` that the insert computes, in milliseconds since 1970. */
function runAtMs({ runAt, delayMs }: IdentifiedRequest, createdMs: number): number {
  return Math.max(createdMs, runAt?.getTime() ?? createdMs + (delayMs ?? 0))
}

/** The job just written, built from its request: reading it back would cost as much as writing it. */
export function insertedJob(request: IdentifiedRequest, row: Omit<InsertedRow, 'id'>): Job {
  const createdAt = new Date(Number(row.created_at))
  const runAt = new Date(Number(row.run_at))
  const expiresAt = expiryOf(request, createdAt)
  return newJob(newJobConstants, request, { id: request.id, runAt, expiresAt, createdAt })
}

/** The `expires_at` that the insert computes. */
function expiryOf({ expiresAt, expiresInMs }: IdentifiedRequest, createdAt: Date): Date | null {
  return expiresInMs === null ? expiresAt : new Date(createdAt.getTime() + expiresInMs)
}

interface ExistingRow extends JobRow {
  readonly request_id: string
  readonly same: boolean
}

/**
 * The jobs because of which rows were not inserted: the request's own earlier insert, whose reply was lost and which is
 * not a replay, or the job that has the same idempotency key.
 */
export async function findExisting(
  database: QueueDatabase,
  requests: readonly IdentifiedRequest[],
): Promise<[string, Enqueued][]> {
  if (requests.length === 0) return []
  const { names } = database
  const own = await database.run(sql<JobRow>`
    SELECT ${jobColumns('j')} FROM ${jobsByIds(
      names,
      requests.map(({ id }) => id),
    )} AS j WHERE true${andWithin(database, 'j')}`)
  const keyed = requests.filter((request) => request.idempotencyKey !== null)
  return [
    ...(await findByKeys(database, keyed)),
    ...own.map((row): [string, Enqueued] => [
      row.id,
      { job: decodeJob(row), replayed: false, mismatched: false },
    ]),
  ]
}

/** Whether one of these jobs has succeeded and left `jobs`. */
export async function areSomeArchived(
  { names, run }: QueueDatabase,
  ids: readonly string[],
): Promise<boolean> {
  const rows = await run(sql`
    SELECT FROM ${jobsByIds(names, ids)} AS a
     WHERE a.status = ${names.status.succeeded} AND NOT EXISTS (SELECT FROM ${names.jobs} AS j WHERE j.id = a.id AND j.status = ${names.status.succeeded}) LIMIT 1`)
  return rows.length > 0
}

/** The jobs that have the idempotency keys of these requests, by the id of the request. */
async function findByKeys(
  database: QueueDatabase,
  keyed: readonly IdentifiedRequest[],
): Promise<[string, Enqueued][]> {
  const rows = keyed.length === 0 ? [] : await database.run(byKeyStatement(database, keyed))
  return rows.map((row) => [
    row.request_id,
    { job: decodeJob(row), replayed: row.request_id !== row.id, mismatched: !row.same },
  ])
}

function byKeyStatement(
  database: QueueDatabase,
  keyed: readonly IdentifiedRequest[],
): RawBuilder<ExistingRow> {
  const { names } = database
  const keys = keyed.map((request) => request.idempotencyKey)
  const byKeys = names.behindViews ? sql` AND j.idempotency_key = ANY(${keys}::text[])` : sql``
  return sql<ExistingRow>`
    SELECT ${asText(sql`i.request_id`)} AS request_id, j.idempotency_fingerprint = i.fingerprint AS same, ${jobColumns('j')}
      FROM unnest(${keyed.map((request) => request.id)}::uuid[], ${keyed.map((request) => request.tenantId ?? '')}::text[],
             ${keys}::text[],
             ${keyed.map((request) => request.fingerprint)}::bytea[]) AS i (request_id, tenant_id, key, fingerprint)
      JOIN ${names.jobs} AS j
        ON coalesce(j.tenant_id, '') = i.tenant_id AND j.idempotency_key = i.key AND j.idempotency_key IS NOT NULL${byKeys}${andWithinTenant(database, 'j')}`
}
