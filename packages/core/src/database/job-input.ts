import { type RawBuilder, sql } from 'kysely'
import { type Given, jsonTextArray, plainArray } from '@queue/postgres'
import { firstVersion } from '../domain/kind-version.ts'
import type { JobRequest } from '../domain/job-definition.ts'
import { type EnqueuedColumn, enqueuedColumns, fieldOf, tables } from './tables.ts'
import { encodeRetryPolicy } from '../domain/retry.ts'

/** A request with the id that it will have. Sending it again with the same id makes no second job. */
export interface IdentifiedRequest extends JobRequest {
  readonly id: string
}

/** The rows of an insert, as its SELECT takes them: `INSERT INTO … (columns) SELECT values FROM source`. */
export interface JobInput {
  readonly columns: RawBuilder<unknown>
  readonly values: RawBuilder<unknown>
  readonly source: RawBuilder<unknown>
}

interface InputColumn {
  readonly name: string
  readonly type: RawBuilder<unknown>
  readonly read: (request: IdentifiedRequest) => unknown
}

/** A column that travels as an array, in a form that PostgreSQL reads as one. */
interface ArrayColumn extends Pick<InputColumn, 'name' | 'type'> {
  readonly readAll: (requests: readonly IdentifiedRequest[]) => unknown
}

/** What differs from job to job, and is not worth a check whether it does. */
const ownColumns: readonly ArrayColumn[] = [
  { name: 'id', type: sql`uuid`, readAll: (requests) => plainArray(requests.map(({ id }) => id)) },
  {
    name: 'payload',
    type: sql`text`,
    readAll: (requests) => jsonTextArray(requests.map(({ payloadText }) => payloadText)),
  },
]

/** What the jobs of one call mostly have in common. */
const commonColumns: readonly InputColumn[] = enqueuedColumns.flatMap(inputsFor)

/** What is sent for a column: mostly the request's member of its name. */
function inputsFor(name: EnqueuedColumn): readonly InputColumn[] {
  switch (name) {
    case 'id':
    case 'payload':
      return []
    case 'retry_policy':
      return [{ name, type: sql`text`, read: retryPolicyText }]
    case 'run_at':
      return [
        {
          name: 'run_at_ms',
          type: sql`float8`,
          read: (request) => pastAsEpoch(request.runAt),
        },
        { name: 'delay_ms', type: sql`float8`, read: (request) => request.delayMs },
      ]
    case 'kind_version':
      return [
        {
          name,
          type: sql`smallint`,
          read: ({ kindVersion }) => (kindVersion === firstVersion ? null : kindVersion),
        },
      ]
    case 'idempotency_fingerprint':
      return [{ name, type: sql`bytea`, read: (request) => request.fingerprint }]
    default: {
      const field = fieldOf(name)
      return [{ name, type: sql.raw(tables.jobs.columns[name].type), read: (request) => request[field] }]
    }
  }
}

/** Which of the common columns differ from job to job. */
export type InputShape = readonly InputColumn[]

/** The shape of these requests, and a name for it: requests of one shape are one statement. */
export function shapeOf(requests: readonly IdentifiedRequest[]): {
  readonly shape: InputShape
  readonly key: string
} {
  const shape = commonColumns.filter(({ read }) => differ(requests, read))
  return { shape, key: shape.map(({ name }) => name).join() }
}

function differ(requests: readonly IdentifiedRequest[], read: InputColumn['read']): boolean {
  const [first] = requests
  if (first === undefined) return false
  const value = read(first)
  return requests.some((request) => read(request) !== value)
}

/**
 * Requests of this shape as rows. A column that has one value for all of them travels as one parameter, the others as an
 * array each: taking fourteen arrays of a thousand apart took a third of the insert's time (docs/decisions/0024).
 */
export function jobInput(shape: InputShape, given: Given<readonly IdentifiedRequest[]>): JobInput {
  const differing = shape.map(
    ({ name, type, read }): ArrayColumn => ({ name, type, readAll: (requests) => requests.map(read) }),
  )
  const arrays = [...ownColumns, ...differing]
  const common = commonColumns.filter((column) => !shape.includes(column))
  const expressions = Object.fromEntries([
    ...arrays.map(({ name }) => [name, sql.ref(`i.${name}`)] as const),
    ...common.map(
      ({ name, type, read }) => [name, sql`${given(([first]) => first && read(first))}::${type}`] as const,
    ),
  ])
  const inputs = arrays.map(({ type, readAll }) => sql`${given(readAll)}::${type}[]`)
  return {
    columns,
    values: rowValues(expressions),
    source: sql`unnest(${sql.join(inputs)}) AS i (${sql.join(arrays.map(({ name }) => sql.ref(name)))})`,
  }
}

const columns = sql.join(enqueuedColumns.map((name) => sql.id(name)))

function rowValues(i: Readonly<Record<string, RawBuilder<unknown>>>): RawBuilder<unknown> {
  return sql.join(enqueuedColumns.map((name) => rowValue(name, i)))
}

/**
 * A past instant counts as that of this statement, which keeps the order of the queue monotone. The statement's and not
 * the transaction's, which is its enqueuer's: a scan may have gone past the beginning of that (docs/decisions/0046).
 */
function rowValue(
  name: EnqueuedColumn,
  i: Readonly<Record<string, RawBuilder<unknown>>>,
): RawBuilder<unknown> {
  if (name === 'run_at') {
    return sql`greatest(statement_timestamp(), coalesce(to_timestamp(${i['run_at_ms']} / 1000),
             statement_timestamp() + ${i['delay_ms']} * interval '1 millisecond'))`
  }
  return tables.jobs.columns[name].type === 'jsonb' ? sql`${i[name]}::jsonb` : sql`${i[name]}`
}

function retryPolicyText({ retryPolicy }: IdentifiedRequest): string | null {
  return retryPolicy === null ? null : JSON.stringify(encodeRetryPolicy(retryPolicy))
}

/** Milliseconds since 1970. What lies before counts as then: it is past either way, and a timestamptz has an end. */
function pastAsEpoch(instant: Date | null): number | null {
  return instant === null ? null : Math.max(0, instant.getTime())
}
