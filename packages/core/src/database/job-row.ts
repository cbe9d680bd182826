import { asText, epochMs, epochUs, type Numeric } from '@queue/postgres'
import { type RawBuilder, type Selectable, sql } from 'kysely'
import { firstVersion } from '../domain/kind-version.ts'
import type { Execution, Job, JobStatus, UnbegunJob } from '../domain/job.ts'
import type { JsonValue } from '../domain/json.ts'
import type { JobMetadata } from '../domain/metadata.ts'
import { type CamelCase, toCamelCase } from '../domain/names.ts'
import { decodeRetryPolicy } from '../domain/retry.ts'
import type { JobColumn } from './table.ts'
import {
  type Database,
  type JobColumnName,
  jsonCopy,
  type NullOf,
  type ShownColumn,
  shownColumns,
  tables,
} from './tables.ts'

/** The value in a row for a column of each type. */
interface RowValues {
  readonly uuid: string
  readonly text: string
  readonly 'text[]': string
  readonly smallint: Numeric
  readonly integer: Numeric
  readonly boolean: boolean
  readonly timestamptz: Numeric
  readonly jsonb: string
  readonly job_status: JobStatus
}

/** The columns of a job as a Kysely query reads them. */
type JobValues = Selectable<Database['jobs']>

type Definitions = (typeof tables)['jobs']['columns']

/** These columns of a job as statements return them. */
export type RowOf<Names extends JobColumnName> = {
  readonly [Name in Names]: RowValues[Definitions[Name]['type'] & keyof RowValues] | NullOf<Definitions[Name]>
}

/**
 * A row as statements return it. Instants are returned as milliseconds and documents as text, so that reading them does
 * not depend on the type parsers of the caller's pool.
 */
export type JobRow = RowOf<ShownColumn>

/** How a column of each type is selected and decoded. */
const codecs: Readonly<Record<keyof RowValues, Codec>> = {
  uuid: { select: asText, decode: unchanged },
  text: { select: asColumn, decode: unchanged },
  'text[]': { select: asJsonArray, decode: (text) => decodeTexts(text as string) },
  smallint: { select: asText, decode: Number },
  integer: { select: asText, decode: Number },
  boolean: { select: asColumn, decode: unchanged },
  timestamptz: {
    select: (column) => asText(epochMs(column)),
    decode: (ms) => new Date(Number(ms)),
  },
  jsonb: { select: asText, decode: (text) => decodeJson(text as string) },
  job_status: { select: asColumn, decode: unchanged },
}

interface Codec {
  readonly select: (column: RawBuilder<unknown>) => RawBuilder<unknown>
  /** Decodes a value that is not null. */
  readonly decode: (value: unknown) => unknown
}

/** Columns whose documents are validated when they are read. */
const specialDecoders: { readonly [Name in JobColumnName]?: Codec['decode'] } = {
  retry_policy: (text) => decodePolicy(text as string),
}

interface SpecialDecoded {
  readonly metadata: JobMetadata | null
  readonly retry_policy: Job['retryPolicy']
}

type Decoded<Name extends JobColumnName> = Name extends keyof SpecialDecoded
  ? SpecialDecoded[Name]
  : Definitions[Name] extends { readonly nullMeans: unknown }
    ? Exclude<JobValues[Name], null>
    : JobValues[Name]

/** Selects these columns of a job, and decodes them into members of an object. */
export interface ColumnReader<Names extends JobColumnName> {
  /** The select list, read from the row named `alias`. */
  readonly select: (alias: string) => RawBuilder<unknown>
  readonly decode: (row: RowOf<Names>) => { readonly [Name in Names as CamelCase<Name>]: Decoded<Name> }
}

/** Reads rows for listings and single reads. A claim has its own reader, which is faster. */
export function columnReader<Names extends JobColumnName>(names: readonly Names[]): ColumnReader<Names> {
  const members = names.map((column) => {
    const { type, nullMeans }: JobColumn = tables.jobs.columns[column]
    const { select, decode } = codecs[type as keyof RowValues]
    return {
      column,
      field: toCamelCase(column),
      select,
      decode: specialDecoders[column] ?? decode,
      absent: nullMeans ?? null,
    }
  })
  const blank = jsonCopy(Object.fromEntries(members.map(({ field }) => [field, null]))) as Record<
    string,
    unknown
  >
  return {
    select: (alias) =>
      sql.join(
        members.map(
          ({ column, select }) => sql`${select(sql.ref(`${alias}.${column}`))} AS ${sql.id(column)}`,
        ),
      ),
    decode: (row) => {
      const decoded = { ...blank }
      for (const { column, field, decode, absent } of members) {
        const value = row[column]
        decoded[field] = value === null ? absent : decode(value)
      }
      return decoded as ReturnType<ColumnReader<Names>['decode']>
    },
  }
}

/** A shown column, unless `Job` lacks it. */
type Declared<Name> = Name extends ShownColumn ? (CamelCase<Name> extends keyof Job ? Name : never) : never

const shown = columnReader(shownColumns satisfies readonly Declared<ShownColumn>[])

/** The columns of a `JobRow`, read from the row named `alias`. */
export const jobColumns = shown.select

/** The job in a row. */
export function decodeJob(row: JobRow): Job {
  return shown.decode(row)
}

/** The columns that a claim returns unchanged: the ones that the runtime needs. */
const unchangedClaimColumns = [
  'id',
  'lease_token',
  'queue',
  'kind',
  'kind_version',
  'tenant_id',
  'priority',
  'attempts',
  'max_attempts',
  'timeout_ms',
  'crashes',
  'cancel_requested',
  'trace_context',
] as const satisfies readonly JobColumnName[]

/** A row that a claim returns. Claims run on connections of this package, so numbers arrive as numbers. */
export type ClaimedRow = {
  readonly [Name in (typeof unchangedClaimColumns)[number]]: JobValues[Name]
} & {
  /** A JSON array. */
  readonly sensitive: string | null
  /** Null where the claim did not carry the payload. */
  readonly payload: string | null
  readonly retry_policy: string | null
  readonly metadata: string | null
  /** In microseconds: a wait is often shorter than a few milliseconds. */
  readonly run_at_us: number
  readonly expires_at: number | null
  readonly created_at: number
  readonly ctid: string
  /** Whether the job stays in `jobs` when it succeeds; absent where the job may be in a lane, whose end asks the same. */
  readonly stays?: boolean
}

/** No compression of PostgreSQL makes a value smaller than this part of it: LZ4 reaches 1/255, its own 1/90. */
const expansionMax = 256
/** A compressed payload that is larger than this part of the maximum is not unpacked to learn its size. Documents shrink to a fifth. */
const expansionTried = 16

/**
 * The columns of a `ClaimedRow`, read from the row named `alias`. A payload that is larger than the maximum is left out, and most
 * such payloads are not even fetched from their TOAST table. PostgreSQL does not tell the size of a compressed value without
 * unpacking it; for small payloads the first comparison is enough.
 */
export function claimedColumns(alias: string, payloadBytesMax: RawBuilder<unknown>): RawBuilder<unknown> {
  const row = sql.id(alias)
  const size = sql`pg_column_size(${row}.payload)`
  const max = sql`${payloadBytesMax}::int`
  const fits = sql`${size} <= ${max} / ${sql.lit(expansionMax)} OR ${size} <= ${max} AND pg_column_compression(${row}.payload) IS NULL`
  const mayFit = sql`${size} <= ${max} / ${sql.lit(expansionTried)}`
  // OFFSET 0 keeps the planner from unpacking the value twice.
  const ifItFits = sql`(SELECT CASE WHEN octet_length(p.text) <= ${max} THEN p.text END FROM (SELECT ${row}.payload::text AS text OFFSET 0) AS p)`
  return sql`CASE WHEN ${fits} THEN ${row}.payload::text WHEN ${mayFit} THEN ${ifItFits} END AS payload,
    ${sql.join(unchangedClaimColumns.map((column) => sql`${row}.${sql.id(column)}`))},
    ${asJsonArray(sql`${row}.sensitive`)} AS sensitive, ${row}.retry_policy::text AS retry_policy, ${row}.metadata::text AS metadata, ${epochUs(sql`${row}.run_at`)} AS run_at_us,
    ${epochMs(sql`${row}.expires_at`)} AS expires_at, ${epochMs(sql`${row}.created_at`)} AS created_at, ${row}.ctid AS ctid`
}

/** NULL for each column that `claimedColumns` selects, and for `stays`, except the first. */
export const claimedNulls: RawBuilder<unknown> = sql.join(
  Array.from({ length: unchangedClaimColumns.length + 8 }, () => sql`NULL`),
)

/** The job in a row that was claimed at this instant. Never throws: one odd row must not fail a whole claim. */
export function decodeClaimedJob(row: ClaimedRow, claimedAtUs: number): UnbegunJob {
  return {
    lease:
      row.stays === true
        ? { jobId: row.id, token: row.lease_token, staysInJobs: true }
        : { jobId: row.id, token: row.lease_token },
    id: row.id,
    queue: row.queue,
    kind: row.kind,
    kindVersion: row.kind_version ?? firstVersion,
    tenantId: row.tenant_id,
    key: null,
    isCounted: false,
    payload: row.payload === null ? undefined : decodeJson(row.payload),
    sensitive: row.sensitive === null ? null : decodeTexts(row.sensitive),
    metadata: row.metadata === null ? null : (decodeJson(row.metadata) as JobMetadata),
    priority: row.priority,
    attempt: row.attempts,
    maxAttempts: row.max_attempts,
    timeoutMs: row.timeout_ms,
    retryPolicy: decodePolicy(row.retry_policy),
    crashes: row.crashes,
    cancelRequested: row.cancel_requested,
    traceContext: row.trace_context,
    runAt: new Date(Math.floor(row.run_at_us / 1_000)),
    waitUs: claimedAtUs - row.run_at_us,
    expiresAt: row.expires_at === null ? null : new Date(row.expires_at),
    createdAt: new Date(row.created_at),
    claimedAt: new Date(Math.floor(claimedAtUs / 1_000)),
    ctid: row.ctid,
  }
}

type ExecutionValues = Selectable<Database['job_executions']>

export interface ExecutionRow extends Omit<ExecutionValues, 'lease_token' | 'started_at' | 'finished_at'> {
  readonly lease_token: string
  readonly started_at: number
  readonly finished_at: number
}

/** The ended attempt in a row. */
export function decodeExecution(row: ExecutionRow): Execution {
  return {
    jobId: row.job_id,
    attempt: row.attempt,
    leaseToken: Number(row.lease_token),
    workerId: row.worker_id,
    startedAt: new Date(row.started_at),
    finishedAt: new Date(row.finished_at),
    outcome: row.outcome,
    error: row.error,
    errorClass: row.error_class,
    fingerprint: row.fingerprint,
  }
}

/** An array of texts, as JSON. */
function asJsonArray(column: RawBuilder<unknown>): RawBuilder<string | null> {
  return sql<string | null>`array_to_json(${column})::text`
}

function decodeTexts(text: string): readonly string[] {
  return JSON.parse(text) as readonly string[]
}

function asColumn(column: RawBuilder<unknown>): RawBuilder<unknown> {
  return column
}

function unchanged(value: unknown): unknown {
  return value
}

/** jsonb prints only valid JSON, so parsing its text cannot fail. */
function decodeJson(text: string): JsonValue {
  return JSON.parse(text) as JsonValue
}

/** A policy that does not validate (written by hand, or by a newer release) counts as absent. */
function decodePolicy(text: string | null): Job['retryPolicy'] {
  return text === null ? null : decodeRetryPolicy(JSON.parse(text))
}
