// (nothing) → queued, where some of the jobs may exist already: their idempotency keys may be known, or other jobs hold
// their unique keys. Called by any user of the queue. One statement, so nothing of it can be seen or taken back in part.
import { type RawBuilder, sql } from 'kysely'
import { asText, callerIsInside, epochMs, type Numeric } from '@queue/postgres'
import type { CallerDatabase, QueueDatabase } from '../database/connect.ts'
import { type IdentifiedRequest, requestDocument } from '../database/job-input.ts'
import { decodeJob, type JobRow, jobColumns } from '../database/job-row.ts'
import { encodeNotification, type Notification, notifyChannel } from '../database/notifications.ts'
import { InvalidInput, QueueError } from '../domain/errors.ts'
import { compareText } from '../database/compare-text.ts'
import { bySlot, slotName, slotKeyOf } from '../unique/slots.ts'
import {
  type Enqueued,
  enqueueJobs,
  type EnqueueOptions,
  enqueueTooOld,
  expiredMeanwhile,
  insertedJob,
} from './enqueue-jobs.ts'

/** What makes the call take back everything that it has written. The answers then tell why. */
export type Rejection = 'mismatched' | 'refused' | 'hidden'

export interface EnqueueKeyedOptions {
  /** Milliseconds to wait for another transaction that holds a key. Absent: as long as the session's own settings say. */
  readonly lockTimeoutMs?: number | undefined
  readonly rejects?: readonly Rejection[]
  /** Whether this request may not become a new job, because its queue is full. */
  readonly isFull?: (request: IdentifiedRequest) => boolean
}

/**
 * Writes these jobs in a transaction of their own, or in the one of `database`, as a frequent statement: a notification of
 * workers may follow it. The answers have the order of the
 * requests; after a rejection they tell what would have become of the requests, and nothing was written.
 *
 * Throws `idempotency_key_locked` or `unique_key_locked` where another open transaction holds a key for too long,
 * `enqueue_too_old` where the call has waited for more than an hour, and `invalid_job` where a job would have expired
 * before its start or the database refuses it.
 */
export async function enqueueKeyed(
  database: QueueDatabase,
  requests: readonly IdentifiedRequest[],
  options: EnqueueKeyedOptions = {},
): Promise<Enqueued[]> {
  const call = callOf(database, { requests, settings: settingsOf(database, requests, options), ...options })
  return answersOf(
    requests,
    await database.run(sql<AnswerRow>`SELECT ${answerColumns} FROM ${call}`, 'frequent'),
  )
}

/**
 * The same in the caller's transaction, with the notifications of workers at its commit. Whatever is refused, the
 * transaction goes on, and what its own statements have written stays.
 */
export async function enqueueKeyedInside(
  database: CallerDatabase,
  requests: readonly IdentifiedRequest[],
  { notifications, ...options }: EnqueueKeyedOptions & { readonly notifications: readonly Notification[] },
): Promise<Enqueued[]> {
  const inside = {
    holds: true,
    channel: notifyChannel(database.schema),
    notifications: notifications.map(encodeNotification),
  }
  const settings = { ...inside, ...settingsOf(database, requests, options) }
  const call = callOf(database, { requests, settings, ...options })
  const rows = await database.write(
    (transactionId) => sql<AnswerRow>`
    WITH ${callerIsInside(sql`${transactionId}`)}
    SELECT ${answerColumns} FROM (SELECT FROM caller WHERE is_inside) AS inside CROSS JOIN LATERAL ${call}`,
  )
  return answersOf(requests, rows)
}

/** Whether one of the requests has a unique key. */
export function hasUnique(requests: readonly Pick<IdentifiedRequest, 'unique'>[]): boolean {
  return requests.some(({ unique }) => unique !== null)
}

/** Writes these jobs in a transaction of ours, whether they have unique keys or not. */
export function enqueueWithin(
  database: QueueDatabase,
  requests: readonly IdentifiedRequest[],
  { lockTimeoutMs }: EnqueueOptions = {},
): Promise<Enqueued[]> {
  return hasUnique(requests)
    ? enqueueKeyed(database, requests, { lockTimeoutMs })
    : enqueueJobs(database, requests, lockTimeoutMs === undefined ? {} : { lockTimeoutMs })
}

type AnswerRow = JobRow & {
  readonly request_id: string | null
  readonly outcome: string
  readonly same: boolean
  readonly new_created_at: Numeric
  readonly new_run_at: Numeric
  readonly state: string | null
}

const answerColumns = sql`${asText(sql`r.request`)} AS request_id, r.outcome, r.same, r.state,
      ${asText(epochMs(sql`r.created_at`))} AS new_created_at, ${asText(epochMs(sql`r.starts_at`))} AS new_run_at, ${jobColumns('j')}`

interface FunctionCall extends Pick<EnqueueKeyedOptions, 'isFull'> {
  readonly requests: readonly IdentifiedRequest[]
  readonly settings: object
}

/**
 * The call of the function, as a relation `r` with the job `j` of each row. The documents are sent as text: a driver that
 * encodes by the type of a parameter, like postgres.js, would make JSON of them once more.
 */
function callOf(
  { names }: QueueDatabase,
  { requests, settings, isFull = never }: FunctionCall,
): RawBuilder<unknown> {
  return sql`${names.enqueueJobs}(${documentOf(requests, isFull)}::text::jsonb, ${JSON.stringify(settings)}::text::jsonb) AS r
      CROSS JOIN LATERAL (SELECT (r.job).*) AS j`
}

/** What the function is told besides the requests, which tells it also what it need not look for. */
function settingsOf(
  { scope }: QueueDatabase,
  requests: readonly IdentifiedRequest[],
  { lockTimeoutMs, rejects = [], isFull = never }: EnqueueKeyedOptions,
): object {
  const isSome = (test: (request: IdentifiedRequest) => boolean): true | undefined =>
    requests.some(test) || undefined
  return {
    rejects,
    lock_timeout_ms: lockTimeoutMs,
    queues: scope?.queues,
    kinds: scope?.kinds,
    has_unique: isSome(({ unique }) => unique !== null),
    has_window: isSome(({ unique }) => unique?.scope === 'window'),
    has_idempotency: isSome(({ idempotencyKey }) => idempotencyKey !== null),
    has_metadata: isSome(({ metadata }) => metadata !== null),
    has_keys: isSome(({ key }) => key !== null),
    has_expiry: isSome(({ expiresAt, expiresInMs }) => expiresAt !== null || expiresInMs !== null),
    has_full: isSome(isFull),
  }
}

const never = (): boolean => false

/**
 * The requests as the function reads them, in the order in which idempotency keys are locked. Requests with one unique
 * key stay together, in the order of the call, because the last of them wins.
 */
function documentOf(
  requests: readonly IdentifiedRequest[],
  isFull: (request: IdentifiedRequest) => boolean,
): string {
  const slotRanks = rankSlots(requests)
  const locked = requests
    .map((request, place) => ({ request, place }))
    .toSorted((one, other) => byIdempotencyKey(one.request, other.request))
  const bySlotRank = Map.groupBy(locked, ({ request, place }) => slotRanks.get(request) ?? -1 - place)
  const rows = [...bySlotRank.values()]
    .flatMap((sharers) => sharers.toSorted((one, other) => one.place - other.place))
    .map(({ request, place }) => {
      const more = { place, slot_rank: slotRanks.get(request), is_full: isFull(request) }
      return requestDocument(request, more)
    })
  return `[${rows.join()}]`
}

/** The place of each request's unique key in the order in which unique keys are locked. */
function rankSlots(requests: readonly IdentifiedRequest[]): ReadonlyMap<IdentifiedRequest, number> {
  const slots = requests.flatMap((request) => {
    const slot = slotKeyOf(request)
    return slot === undefined ? [] : [{ request, slot, name: slotName(slot) }]
  })
  const names = [
    ...new Set(slots.toSorted((one, other) => bySlot(one.slot, other.slot)).map(({ name }) => name)),
  ]
  const ranks = new Map(names.map((name, rank) => [name, rank]))
  return new Map(slots.map(({ request, name }) => [request, ranks.get(name) as number]))
}

function byIdempotencyKey(one: IdentifiedRequest, other: IdentifiedRequest): number {
  return (
    compareText(one.tenantId ?? '', other.tenantId ?? '') ||
    compareText(one.idempotencyKey ?? '', other.idempotencyKey ?? '')
  )
}

function answersOf(requests: readonly IdentifiedRequest[], rows: readonly AnswerRow[]): Enqueued[] {
  const failure = rows.find(({ outcome }) => outcome in failures)
  if (failure !== undefined) throw failureOf(failure, requests)
  const byRequest = new Map(rows.map((row) => [row.request_id, row]))
  return requests.map((request) => {
    const row = byRequest.get(request.id)
    if (row === undefined) throw new Error('an enqueue returned too few rows')
    return answerOf(request, row)
  })
}

function failureOf(row: AnswerRow, requests: readonly IdentifiedRequest[]): Error {
  const fail = failures[row.outcome]
  return fail === undefined ? new Error(`an enqueue answered ${row.outcome}`) : fail(row, requests)
}

function answerOf(request: IdentifiedRequest, row: AnswerRow): Enqueued {
  const { outcome, same } = row
  if (outcome === 'new') {
    const job = insertedJob(request, { created_at: row.new_created_at, run_at: row.new_run_at })
    return { job, replayed: false, mismatched: false }
  }
  const job = decodeJob(row)
  if (outcome === 'own') return { job, replayed: false, mismatched: false }
  if (outcome === 'known') return { job, replayed: true, mismatched: !same }
  return { job, replayed: false, mismatched: false, conflict: outcome as NonNullable<Enqueued['conflict']> }
}

type Fail = (row: AnswerRow, requests: readonly IdentifiedRequest[]) => Error

/** The errors of calls that could not be carried out, by the function's outcome. */
const failures: Readonly<Record<string, Fail>> = {
  idempotency_key_locked: () =>
    new QueueError(
      'idempotency_key_locked',
      'another open transaction holds this idempotency key: try again',
    ),
  unique_key_locked: () =>
    new QueueError(
      'unique_key_locked',
      'another open transaction holds this unique key or its job: try again',
    ),
  expired: (row, requests) =>
    expiredMeanwhile(
      requests,
      requests.findIndex(({ id }) => id === row.request_id),
    ),
  too_old: enqueueTooOld,
  refused_by_database: ({ state }, requests) =>
    refusedByDatabase(state, requests.length, { code: state, severity: 'ERROR' }),
}

/**
 * The error for a refusal by a check or a trigger of the database's owner, which we do not know. PostgreSQL does not
 * tell which row it refused.
 */
export function refusedByDatabase(
  state: string | null | undefined,
  jobs: number,
  cause?: unknown,
): InvalidInput {
  const refusedJobs = jobs === 1 ? 'the job' : 'one of the jobs'
  const message = `the database refuses ${refusedJobs} (SQLSTATE ${state})`
  return new InvalidInput('invalid_job', [{ path: [], message }], { cause })
}
