// (nothing) → queued. Called by any user of the queue, in a transaction of their own or in one statement of ours.
import { type RawBuilder, sql } from 'kysely'
import {
  asText,
  epochMs,
  type Given,
  type Numeric,
  sqlState,
  sqlStateOf,
  type Statement,
  template,
  type Template,
} from '@queue/postgres'
import type { QueueDatabase } from '../database/connect.ts'
import { insertedMetadata } from '../database/metadata-rows.ts'
import { andWithin, andWithinTenant } from '../database/scope.ts'
import { writeWaitingEvents } from '../database/lane-events.ts'
import { decodeJob, type JobRow, jobColumns } from '../database/job-row.ts'
import { QueueError } from '../domain/errors.ts'
import { perSchema, type SchemaNames } from '../database/schema-names.ts'
import { newJobConstants } from '../database/tables.ts'
import type { Job } from '../domain/job.ts'
import { newJob } from '../domain/job-definition.ts'
import {
  type IdentifiedRequest,
  type InputShape,
  type JobInput,
  jobInput,
  shapeOf,
} from '../database/job-input.ts'

/** What an enqueue gave. */
export interface Enqueued {
  readonly job: Job
  /** True when the idempotency key was known: `job` is then the original, and nothing was written. */
  readonly replayed: boolean
  /** True when the key was known and the request was another one: kind, queue or payload differ. */
  readonly mismatched: boolean
  /**
   * Present where another job holds the unique key: `job` is that one, and what was done to it. `refused`: nothing, and the
   * request had asked for an error.
   */
  readonly conflict?: 'returned' | 'refused' | 'replaced' | 'rescheduled'
}

export interface EnqueueOptions {
  /**
   * Milliseconds to wait for a stranger's open transaction that holds the same key. Undefined inside a caller's
   * transaction, whose settings are not ours to change.
   */
  readonly lockTimeoutMs?: number
}

/** The look-up is a second statement, so a job that is pruned in between must be inserted once more. */
const triesMax = 3

/**
 * Writes these jobs in one INSERT … ON CONFLICT DO NOTHING and looks up what was there already. The answer has the
 * order of the requests. Keyed rows are written in key order, so that two such statements cannot wait for each
 * other in a circle. Throws `idempotency_key_locked` when an open transaction elsewhere holds one of the keys.
 */
export function enqueueJobs(
  database: QueueDatabase,
  requests: readonly IdentifiedRequest[],
  options: EnqueueOptions = {},
): Promise<Enqueued[]> {
  return insertOrFind(database, requests, (missing) =>
    database.run(insertStatement(database, { requests: missing, ...options }), 'frequent'),
  )
}

/** Inserts what is not there by `insert`, which gives the rows that it has written, and looks up the rest. */
export async function insertOrFind(
  database: QueueDatabase,
  requests: readonly IdentifiedRequest[],
  insert: (missing: readonly IdentifiedRequest[]) => Promise<readonly InsertedRow[]>,
): Promise<Enqueued[]> {
  const found = new Map<string, Enqueued>()
  let missing = requests.toSorted(byKey)
  for (let tries = 0; missing.length > 0 && tries < triesMax; tries += 1) {
    const rows = await insert(missing).catch((error: unknown) => {
      throw asKeyWait(error, missing)
    })
    for (const created of insertedJobs(missing, rows)) found.set(created.job.id, created)
    missing = missing.filter((request) => !found.has(request.id))
    for (const [id, known] of await findExisting(database, missing)) found.set(id, known)
    missing = missing.filter((request) => !found.has(request.id))
  }
  return requests.map((request) => {
    const enqueued = found.get(request.id)
    if (enqueued === undefined)
      throw new Error(`the job of an idempotency key was gone ${triesMax} times in a row`)
    return enqueued
  })
}

function byKey(a: IdentifiedRequest, b: IdentifiedRequest): number {
  return (
    compareText(a.tenantId ?? '', b.tenantId ?? '') ||
    compareText(a.idempotencyKey ?? '', b.idempotencyKey ?? '')
  )
}

export function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

/** A row that an insert with keys has written. */
export interface InsertedRow {
  readonly id: string
  readonly run_at: Numeric
  readonly created_at: Numeric
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

/** What the wait for a key came to, where there was one; any other error as it is. */
function asKeyWait(error: unknown, requests: readonly IdentifiedRequest[]): unknown {
  if (!isKeyWait(error) || requests.every((request) => request.idempotencyKey === null)) return error
  return new QueueError(
    'idempotency_key_locked',
    'another transaction that has not ended holds this idempotency key: try again',
    { cause: error },
  )
}

/** Whether the wait for another transaction's key came to nothing: too long, or in a circle. */
function isKeyWait(error: unknown): boolean {
  const state = sqlStateOf(error)
  return state === sqlState.lockNotAvailable || state === sqlState.deadlockDetected
}

/** What an insert is given. */
export interface InsertInput {
  readonly requests: readonly IdentifiedRequest[]
}

type InsertInTime = InsertInput & EnqueueOptions

/** Who chooses the columns of an insert chooses its text, so not all of them are kept. */
const insertsMax = 64

/** The statement for the shape of what is inserted, made when it first comes and kept where there is room. */
export function insertOf<Input extends InsertInput, Row>(
  write: (names: SchemaNames, input: JobInput, given: Given<Input>) => RawBuilder<Row>,
): (names: SchemaNames, input: Input) => Statement<Row> {
  const knownIn = perSchema(() => new Map<string, Template<Input, Row>>())
  const make = (names: SchemaNames, shape: InputShape): Template<Input, Row> =>
    template((given) => write(names, jobInput(shape, ofRequests(given)), given))
  return (names, input) => {
    const { shape, key } = shapeOf(input.requests)
    const known = knownIn(names)
    const made = known.get(key) ?? make(names, shape)
    if (known.size < insertsMax) known.set(key, made)
    return made(input)
  }
}

function ofRequests<Input extends InsertInput>(given: Given<Input>): Given<readonly IdentifiedRequest[]> {
  return (read) => given(({ requests }) => read(requests))
}

function insertStatement({ names }: QueueDatabase, input: InsertInTime): Statement<InsertedRow> {
  return input.lockTimeoutMs === undefined ? insertKeyed(names, input) : insertKeyedInTime(names, input)
}

const insertKeyed = insertOf<InsertInput, InsertedRow>((names, input) => {
  const { columns, values, source } = input
  const insert = sql`INSERT INTO ${names.jobs} (${columns}) SELECT ${values} FROM ${source} ${unlessKnown(input)}`
  return isFollowed(input) ? sql`WITH ${writtenAndFollowed(names, insert, input)}` : sql`${insert}`
})

/** The insert of jobs that more rows follow, with those. Its answer is that of the insert alone. */
function writtenAndFollowed(
  names: SchemaNames,
  insert: RawBuilder<unknown>,
  followers: Followers,
): RawBuilder<unknown> {
  return sql`written AS (${insert})${followersOf(names, followers)} SELECT id, run_at, created_at FROM written`
}

/** The source of the rows waits for `limits`, so that the lock timeout is in force before the first row is written. */
const insertKeyedInTime = insertOf<InsertInTime, InsertedRow>((names, input, given) => {
  const { columns, values, source } = input
  const insert = sql`
    INSERT INTO ${names.jobs} (${columns}) SELECT ${values} FROM limits CROSS JOIN ${source} ${unlessKnown(input)}`
  return sql`
    WITH limits AS MATERIALIZED (
      SELECT set_config('lock_timeout', ${given(({ lockTimeoutMs }) => `${lockTimeoutMs}ms`)}, true)
    )${isFollowed(input) ? sql`, ${writtenAndFollowed(names, insert, input)}` : insert}`
})

/** What more than the jobs an insert writes: rows of metadata, and the events of lanes. */
type Followers = Pick<JobInput, 'hasMetadata' | 'hasLanes'>

function isFollowed({ hasMetadata, hasLanes }: Followers): boolean {
  return hasMetadata || hasLanes
}

/** The columns of the written jobs that the rest of the statement goes by. */
function followedColumns({ hasMetadata, hasLanes }: Followers): RawBuilder<unknown> {
  return sql.join([
    sql`tenant_id`,
    ...(hasMetadata ? [sql`metadata`] : []),
    ...(hasLanes ? [sql`run_at AS due_at, queue, kind, key, priority`] : []),
  ])
}

/** What follows the written jobs, as further parts of the statement. */
export function followersOf(names: SchemaNames, { hasMetadata, hasLanes }: Followers): RawBuilder<unknown> {
  const described = hasMetadata ? sql`, ${insertedMetadata(names, 'written')}` : sql``
  return hasLanes ? sql`${described}, ${writeWaitingEvents(names, 'written', 'due_at')}` : described
}

/** The end of an insert that may run into keys that are known: what it has written. */
export function unlessKnown(followers: Followers): RawBuilder<unknown> {
  return sql`
    ON CONFLICT DO NOTHING
    RETURNING ${asText(sql`id`)} AS id, ${asText(epochMs(sql`run_at`))} AS run_at,
              ${asText(epochMs(sql`created_at`))} AS created_at${isFollowed(followers) ? sql`, ${followedColumns(followers)}` : sql``}`
}

/**
 * Writes jobs that nothing can be in the way of: they have no idempotency key, and their ids are sent for the first
 * time. Without a conflict to look for and rows to return, the insert takes a third less time. The answer has the
 * order of the requests.
 */
export async function enqueueNewJobs(
  database: QueueDatabase,
  requests: readonly IdentifiedRequest[],
): Promise<Enqueued[]> {
  if (requests.length === 0) return []
  return newJobs(requests, await database.run(insertNew(database.names, { requests }), 'frequent'))
}

/** The jobs of an insert that has written all of them. */
export function newJobs(
  requests: readonly IdentifiedRequest[],
  [written]: readonly WrittenRow[],
): Enqueued[] {
  if (written === undefined) throw new Error('an enqueue gave no answer')
  const createdMs = Number(written.created_at)
  return requests.map((request) => ({
    job: insertedJob(request, { created_at: createdMs, run_at: runAtMs(request, createdMs) }),
    replayed: false,
    mismatched: false,
  }))
}

/** When all rows of an insert were written. */
export interface WrittenRow {
  readonly created_at: Numeric
}

const insertNew = insertOf<InsertInput, WrittenRow>((names, input) => {
  const insert = sql`INSERT INTO ${names.jobs} (${input.columns}) SELECT ${input.values} FROM ${input.source}`
  return sql`
    WITH ${writtenNew(names, insert, input)}
    SELECT ${asText(epochMs(sql`statement_timestamp()`))} AS created_at`
})

/** `written AS (…)`: an insert that nothing is in the way of, with the rows that follow it where there are some. */
export function writtenNew(
  names: SchemaNames,
  insert: RawBuilder<unknown>,
  followers: Followers,
): RawBuilder<unknown> {
  return isFollowed(followers)
    ? sql`written AS (${insert} RETURNING id, ${followedColumns(followers)})${followersOf(names, followers)}`
    : sql`written AS (${insert})`
}

/** What the insert computes for `run_at`. */
function runAtMs({ runAt, delayMs }: IdentifiedRequest, createdMs: number): number {
  return Math.max(createdMs, runAt?.getTime() ?? createdMs + (delayMs ?? 0))
}

/** The row just written, put together from the request: reading it back would cost as much as writing it. */
function insertedJob(request: IdentifiedRequest, row: Omit<InsertedRow, 'id'>): Job {
  const createdAt = new Date(Number(row.created_at))
  const runAt = new Date(Number(row.run_at))
  const expiresAt = expiryOf(request, createdAt)
  return newJob(newJobConstants, request, { id: request.id, runAt, expiresAt, createdAt })
}

/** What the insert computes for `expires_at`. */
function expiryOf({ expiresAt, expiresInMs }: IdentifiedRequest, createdAt: Date): Date | null {
  return expiresInMs === null ? expiresAt : new Date(createdAt.getTime() + expiresInMs)
}

interface ExistingRow extends JobRow {
  readonly request_id: string
  readonly same: boolean
}

/**
 * What the rows that were not inserted ran into: their own earlier insert, whose reply was lost (not a replay), or
 * the job that has their key.
 */
async function findExisting(
  database: QueueDatabase,
  requests: readonly IdentifiedRequest[],
): Promise<[string, Enqueued][]> {
  if (requests.length === 0) return []
  const { names } = database
  const own = await database.run(sql<JobRow>`
    SELECT ${jobColumns('j')} FROM ${names.jobs} AS j
     WHERE j.id = ANY(${requests.map((request) => request.id)}::uuid[])${andWithin(database, 'j')}`)
  const keyed = requests.filter((request) => request.idempotencyKey !== null)
  return [
    ...(await findByKeys(database, keyed)),
    ...own.map((row): [string, Enqueued] => [
      row.id,
      { job: decodeJob(row), replayed: false, mismatched: false },
    ]),
  ]
}

/** The jobs that have the idempotency keys of these requests, by the id of the request. */
export async function findByKeys(
  database: QueueDatabase,
  keyed: readonly IdentifiedRequest[],
): Promise<[string, Enqueued][]> {
  const known = keyed.length === 0 ? [] : await database.run(byKeyStatement(database, keyed))
  return known.map((row) => [
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
