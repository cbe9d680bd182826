import { type RawBuilder, sql } from 'kysely'
import { type Given, jsonTextArray, nulls, orNull, plainArray } from '@queue/postgres'
import { firstVersion } from '../domain/kind-version.ts'
import { enqueueAgeMsMax, jobWeightDefault } from '../domain/limits.ts'
import { createdMsOf } from '../domain/job-id.ts'
import type { JobRequest } from '../domain/job-definition.ts'
import { toCamelCase } from '../domain/names.ts'
import type { Column } from './table.ts'
import { type EnqueuedColumn, enqueuedColumns, tables } from './tables.ts'
import { encodeRetryPolicy } from '../domain/retry.ts'

/** A request with the id that its job will have. Sending it twice with one id makes one job. */
export interface IdentifiedRequest extends JobRequest {
  readonly id: string
}

/** A copy made by a constructor: V8 takes many times as long to spread so many members (docs/decisions/0116). */
class Identified implements IdentifiedRequest {
  declare readonly id: string
  declare readonly kind: JobRequest['kind']
  declare readonly kindVersion: JobRequest['kindVersion']
  declare readonly queue: JobRequest['queue']
  declare readonly payload: JobRequest['payload']
  declare readonly payloadText: JobRequest['payloadText']
  declare readonly metadata: JobRequest['metadata']
  declare readonly priority: JobRequest['priority']
  declare readonly maxAttempts: JobRequest['maxAttempts']
  declare readonly timeoutMs: JobRequest['timeoutMs']
  declare readonly retryPolicy: JobRequest['retryPolicy']
  declare readonly runAt: JobRequest['runAt']
  declare readonly delayMs: JobRequest['delayMs']
  declare readonly expiresAt: JobRequest['expiresAt']
  declare readonly expiresInMs: JobRequest['expiresInMs']
  declare readonly idempotencyKey: JobRequest['idempotencyKey']
  declare readonly fingerprint: JobRequest['fingerprint']
  declare readonly unique: JobRequest['unique']
  declare readonly tenantId: JobRequest['tenantId']
  declare readonly key: JobRequest['key']
  declare readonly weight: JobRequest['weight']
  declare readonly traceContext: JobRequest['traceContext']
  declare readonly sensitive: JobRequest['sensitive']
  declare readonly openResults: JobRequest['openResults']

  constructor(request: JobRequest, id: string) {
    this.id = id
    this.kind = request.kind
    this.kindVersion = request.kindVersion
    this.queue = request.queue
    this.payload = request.payload
    this.payloadText = request.payloadText
    this.metadata = request.metadata
    this.priority = request.priority
    this.maxAttempts = request.maxAttempts
    this.timeoutMs = request.timeoutMs
    this.retryPolicy = request.retryPolicy
    this.runAt = request.runAt
    this.delayMs = request.delayMs
    this.expiresAt = request.expiresAt
    this.expiresInMs = request.expiresInMs
    this.idempotencyKey = request.idempotencyKey
    this.fingerprint = request.fingerprint
    this.unique = request.unique
    this.tenantId = request.tenantId
    this.key = request.key
    this.weight = request.weight
    this.traceContext = request.traceContext
    this.sensitive = request.sensitive
    this.openResults = request.openResults
  }
}

/** The requests, each with the id at its position in `ids`. */
export function identify(requests: readonly JobRequest[], ids: readonly string[]): IdentifiedRequest[] {
  return requests.map((request, index) => new Identified(request, ids[index] as string))
}

/** The rows of an insert, as the parts of its SELECT: `INSERT INTO … (columns) SELECT values FROM source`. */
export interface JobInput {
  readonly columns: RawBuilder<unknown>
  readonly values: RawBuilder<unknown>
  /**
   * The rows `i`. `from` is what follows FROM: one row with the column `at`, the instant at which the jobs are written. It
   * is a column of `i` too, and so is `created_at`: where the clock was set back since the ids were minted, a job is not
   * created before its id.
   */
  readonly source: (from: RawBuilder<unknown>) => RawBuilder<unknown>
  /**
   * Whether the jobs may still be written at the instant `at`: the expiry of none has passed. Filters by creation read ids from `enqueueAgeMsMax` before
   * the instant that they look for, so they would miss the jobs of an enqueue that has waited longer.
   */
  readonly inTime: RawBuilder<unknown>
  /** Whether some of the jobs can have metadata, so that its rows must be written too. */
  readonly hasMetadata: boolean
  /** Whether some of the jobs can have a key, so that lane events must be written too. */
  readonly hasLanes: boolean
}

interface InputColumn {
  readonly name: string
  readonly type: string
  readonly read: (request: IdentifiedRequest) => unknown
  /** The column that an insert leaves out where this value is null for all of its jobs. */
  readonly optional?: EnqueuedColumn
}

/** A column that is sent as one array, in a form that PostgreSQL parses as an array. */
interface ArrayColumn extends Pick<InputColumn, 'name' | 'type'> {
  readonly readAll: (requests: readonly IdentifiedRequest[]) => unknown
  /** What stands for null in the array; absent: no element is null. */
  readonly nullType?: keyof typeof nulls
}

/** Columns whose values always differ from job to job, so that checking is pointless. */
const ownColumns: readonly ArrayColumn[] = [
  { name: 'id', type: 'uuid', readAll: (requests) => plainArray(requests.map(({ id }) => id)) },
  {
    name: 'payload',
    type: 'text',
    readAll: (requests) => jsonTextArray(requests.map(({ payloadText }) => payloadText)),
  },
]

/** Columns in which the jobs of one call mostly have the same value. */
const commonColumns: readonly InputColumn[] = enqueuedColumns.flatMap((name) =>
  inputsFor(name).map((input) => (mayBeOmitted(name) ? { ...input, optional: name } : input)),
)

/** PostgreSQL parses and plans a short statement in less time, so columns without a value are not sent. */
function mayBeOmitted(name: EnqueuedColumn): boolean {
  const { nullable }: Column = tables.jobs.columns[name]
  return nullable === true || name === 'run_at'
}

/** The parameters that are sent for a column: for most columns, the member of the request with the same name. */
function inputsFor(name: EnqueuedColumn): readonly InputColumn[] {
  switch (name) {
    case 'id':
    case 'payload':
      return []
    case 'retry_policy':
      return [{ name, type: 'text', read: retryPolicyText }]
    case 'key':
      return [{ name, type: 'text', read: ({ key }) => key }]
    case 'weight':
      return [
        {
          name,
          type: 'integer',
          read: ({ weight }) => (weight === jobWeightDefault ? null : weight),
        },
      ]
    case 'metadata':
      return [{ name, type: 'text', read: metadataText }]
    case 'run_at':
      return [
        {
          name: 'run_at_ms',
          type: 'float8',
          read: (request) => pastAsEpoch(request.runAt),
        },
        { name: 'delay_ms', type: 'float8', read: (request) => request.delayMs },
      ]
    case 'expires_at':
      return [
        {
          name: 'expires_at_ms',
          type: 'float8',
          read: (request) => pastAsEpoch(request.expiresAt),
        },
        { name: 'expires_in_ms', type: 'float8', read: (request) => request.expiresInMs },
      ]
    case 'kind_version':
      return [
        {
          name,
          type: 'smallint',
          read: ({ kindVersion }) => (kindVersion === firstVersion ? null : kindVersion),
        },
      ]
    case 'unique_key':
      return [{ name, type: 'text', read: ({ unique }) => unique?.key ?? null }]
    case 'unique_scope':
      return [{ name, type: 'text', read: ({ unique }) => unique?.scope ?? null }]
    case 'sensitive':
      return [{ name, type: 'text', read: ({ sensitive }) => sensitive && arrayText(sensitive) }]
    case 'open_results':
      return [{ name, type: 'text', read: ({ openResults }) => (openResults ? 'true' : null) }]
    case 'idempotency_fingerprint':
      return [{ name, type: 'bytea', read: (request) => request.fingerprint }]
    default: {
      const field = toCamelCase(name)
      return [{ name, type: tables.jobs.columns[name].type, read: (request) => request[field] }]
    }
  }
}

/** A request as one JSON object with the names of its columns, and further members. Members that are null are left out. */
export function requestDocument(
  request: IdentifiedRequest,
  more: Readonly<Record<string, number | boolean | undefined>>,
): string {
  const { id, payloadText, unique } = request
  const members = {
    id,
    ...more,
    window_ms: unique?.windowMs,
    max_wait_ms: unique?.maxWaitMs,
    on_conflict: unique?.onConflict,
  }
  const values = commonColumns.flatMap(({ name, read }) => {
    const value = read(request)
    return value === null ? [] : [`,"${name}":${documentText(name, value)}`]
  })
  return `{${JSON.stringify(members).slice(1, -1)},"payload":${payloadText}${values.join('')}}`
}

/** Texts as PostgreSQL writes an array of them. */
export function arrayText(texts: readonly string[]): string {
  return `{${texts.map((text) => `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`).join(',')}}`
}

function documentText(name: string, value: unknown): string {
  if (value instanceof Uint8Array) return `"${Buffer.from(value).toString('hex')}"`
  // These two are read as JSON text already.
  return (name === 'retry_policy' || name === 'metadata') && typeof value === 'string'
    ? value
    : JSON.stringify(value)
}

/** Which of the common columns differ between the jobs of a call, and which columns its insert names. */
export interface InputShape {
  readonly differing: readonly InputColumn[]
  readonly common: readonly InputColumn[]
  readonly columns: readonly EnqueuedColumn[]
}

const optionalColumns = commonColumns.filter(({ optional }) => optional !== undefined)
/** The start is always written: where no request has one, it is the instant of the insert. */
const usualColumns = enqueuedColumns.filter((name) => name === 'run_at' || !isOptional(name))

function isOptional(column: EnqueuedColumn): boolean {
  return optionalColumns.some(({ optional }) => optional === column)
}

/** The shape of these requests, and its key: requests with the same shape share one statement. */
export function shapeOf(requests: readonly IdentifiedRequest[]): {
  readonly shape: InputShape
  readonly key: string
} {
  const differing = differingColumns(requests)
  const [first] = requests
  // Of the differing values, at least one is not null.
  const presentOptionals = optionalColumns.filter(
    (column) => differing.includes(column) || (first !== undefined && column.read(first) !== null),
  )
  const optionalNames = new Set(presentOptionals.map(({ optional }) => optional))
  const present = commonColumns.filter(
    ({ optional }) => optional === undefined || optionalNames.has(optional),
  )
  const columns =
    optionalNames.size === 0
      ? usualColumns
      : enqueuedColumns.filter((name) => usualColumns.includes(name) || optionalNames.has(name))
  const key = `${differing.map(({ name }) => name).join()} ${[...optionalNames].join()}`
  return { shape: { differing, common: without(present, differing), columns }, key }
}

function without(columns: readonly InputColumn[], others: readonly InputColumn[]): readonly InputColumn[] {
  return columns.filter((column) => !others.includes(column))
}

/** The common columns in which these requests differ. */
function differingColumns(requests: readonly IdentifiedRequest[]): readonly InputColumn[] {
  const [first] = requests
  if (first === undefined || requests.every((request) => isAlike(request, first))) return []
  return commonColumns.filter(({ read }) => differ(requests, read))
}

/**
 * Whether two requests have the same common columns. It can miss that they do, where two objects have the same content.
 * Written out, because a look at each column by its function takes many times as long, and the jobs of most calls are
 * alike.
 */
function isAlike(one: IdentifiedRequest, other: IdentifiedRequest): boolean {
  return (
    one.kind === other.kind &&
    one.kindVersion === other.kindVersion &&
    one.queue === other.queue &&
    one.metadata === other.metadata &&
    one.priority === other.priority &&
    one.maxAttempts === other.maxAttempts &&
    one.timeoutMs === other.timeoutMs &&
    one.retryPolicy === other.retryPolicy &&
    one.runAt === other.runAt &&
    one.delayMs === other.delayMs &&
    one.expiresAt === other.expiresAt &&
    one.expiresInMs === other.expiresInMs &&
    one.idempotencyKey === other.idempotencyKey &&
    one.fingerprint === other.fingerprint &&
    one.unique === other.unique &&
    one.tenantId === other.tenantId &&
    one.key === other.key &&
    one.weight === other.weight &&
    one.traceContext === other.traceContext &&
    one.sensitive === other.sensitive &&
    one.openResults === other.openResults
  )
}

function differ(requests: readonly IdentifiedRequest[], read: InputColumn['read']): boolean {
  const [first] = requests
  if (first === undefined) return false
  const value = read(first)
  return requests.some((request) => read(request) !== value)
}

/**
 * The rows of requests with this shape. A column with one value for all of them is sent as one parameter, and every
 * other column as an array: unpacking fourteen arrays of a thousand values took a third of the insert's time
 * (docs/decisions/0024).
 */
export function jobInput(shape: InputShape, given: Given<readonly IdentifiedRequest[]>): JobInput {
  const { common, columns } = shape
  const arrays = [...ownColumns, ...shape.differing.map(asArray)]
  const expressions = Object.fromEntries([
    ...arrays.map(({ name }) => [name, sql.ref(`i.${name}`)] as const),
    ...common.map(
      ({ name, type, read }) =>
        [name, sql`${given(([first]) => first && read(first))}::${sql.raw(type)}`] as const,
    ),
  ])
  const inputs = arrays.map(({ name, type, readAll, nullType }) => {
    const elements = sql`unnest(${given(readAll)}::${sql.raw(type)}[])`
    return sql`${nullType === undefined ? elements : orNull(elements, nullType)} AS ${sql.ref(name)}`
  })
  // The ids of one call share their millisecond.
  const mintedMs = given(([first]) => first && createdMsOf(first.id))
  return {
    columns: sql.join(columns.map((name) => sql.id(name))),
    values: sql.join(columns.map((name) => rowValue(name, expressions))),
    source: (from) => sql`(SELECT ${sql.join(inputs)}, at, ${createdAt(mintedMs)} FROM ${from}) AS i`,
    inTime: columns.includes('expires_at')
      ? sql`${isInTime(mintedMs)} AND at < to_timestamp(${given(earliestExpiryMs)}::float8 / 1000::float8)`
      : isInTime(mintedMs),
    hasMetadata: columns.includes('metadata'),
    hasLanes: columns.includes('key'),
  }
}

/** A column whose values are sent as one array. A value of a column that may be omitted can be null. */
function asArray({ name, type, read, optional }: InputColumn): ArrayColumn {
  if (optional === undefined) return { name, type, readAll: (requests) => requests.map(read) }
  const nullType = type === 'float8' ? 'number' : type === 'integer' || type === 'smallint' ? 'count' : 'text'
  return { name, type, nullType, readAll: (requests) => requests.map((one) => read(one) ?? nulls[nullType]) }
}

/** `created_at`, from the instant `at` of the insert and the milliseconds of the id. */
export function createdAt(mintedMs: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`greatest(at, to_timestamp(${mintedMs}::float8 / 1000::float8)) AS created_at`
}

/** The earliest instant at which one of these requests expires, in milliseconds since 1970; Infinity where none has one. */
export function earliestExpiryMs(requests: readonly IdentifiedRequest[]): number {
  return Math.min(...requests.map(({ expiresAt }) => expiresAt?.getTime() ?? Infinity))
}

export function isInTime(mintedMs: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`at < to_timestamp(${mintedMs}::float8 / 1000::float8) + ${sql.lit(enqueueAgeMsMax / 1_000)}::float8 * interval '1 second'`
}

/**
 * A past instant becomes the instant of the insert, so that the order of the queue stays monotone: a scan may already
 * have passed any earlier one (docs/decisions/0127).
 */
function rowValue(
  name: EnqueuedColumn,
  i: Readonly<Record<string, RawBuilder<unknown>>>,
): RawBuilder<unknown> {
  if (name === 'run_at') {
    if (i['run_at_ms'] === undefined) return sql`i.at`
    return sql`greatest(i.at, coalesce(to_timestamp(${i['run_at_ms']} / 1000::float8),
             i.at + ${i['delay_ms']} * interval '1 millisecond'))`
  }
  if (name === 'sensitive') return sql`${i['sensitive']}::text[]`
  if (name === 'open_results') return sql`${i['open_results']}::boolean`
  if (name === 'expires_at') {
    return sql`coalesce(to_timestamp(${i['expires_at_ms']} / 1000::float8),
             i.at + ${i['expires_in_ms']} * interval '1 millisecond')`
  }
  return tables.jobs.columns[name].type === 'jsonb' ? sql`${i[name]}::jsonb` : sql`${i[name]}`
}

function retryPolicyText({ retryPolicy }: IdentifiedRequest): string | null {
  return retryPolicy === null ? null : JSON.stringify(encodeRetryPolicy(retryPolicy))
}

function metadataText({ metadata }: IdentifiedRequest): string | null {
  return metadata === null ? null : JSON.stringify(metadata)
}

/** Milliseconds since 1970. An earlier instant counts as 0: it is past either way, and a timestamptz cannot hold every Date. */
function pastAsEpoch(instant: Date | null): number | null {
  return instant === null ? null : Math.max(0, instant.getTime())
}
