// The insert of jobs, as the statement for a shape of requests, and the further rows that an insert of jobs writes.
import { type RawBuilder, sql } from 'kysely'
import { asText, epochMs, type Given, type Statement, template, type Template } from '@queue/postgres'
import { type IdentifiedRequest, type InputShape, type JobInput, jobInput, shapeOf } from './job-input.ts'
import { writeWaitingEvents } from './lane-events.ts'
import { insertedMetadata } from './metadata-rows.ts'
import { perSchema, type SchemaNames } from './schema-names.ts'

/** The input of an insert. */
export interface InsertInput {
  readonly requests: readonly IdentifiedRequest[]
}

/** The most statements that are kept. The columns that callers set choose the statement's text, so not all can be kept. */
const insertsMax = 256

/** Returns the statement for the shape of the inserted requests. It is made at its first use, and kept while there is room. */
export function createInsert<Input extends InsertInput, Row>(
  write: (names: SchemaNames, input: JobInput, given: Given<Input>) => RawBuilder<Row>,
): (names: SchemaNames, input: Input) => Statement<Row> {
  const templatesIn = perSchema(() => new Map<string, Template<Input, Row>>())
  const make = (names: SchemaNames, shape: InputShape): Template<Input, Row> =>
    template((given) => write(names, jobInput(shape, readingRequests(given)), given))
  return (names, input) => {
    const { shape, key } = shapeOf(input.requests)
    const templates = templatesIn(names)
    const insert = templates.get(key) ?? make(names, shape)
    if (templates.size < insertsMax) templates.set(key, insert)
    return insert(input)
  }
}

/** A `Given` that reads only the requests of its input. */
function readingRequests<Input extends InsertInput>(
  given: Given<Input>,
): Given<readonly IdentifiedRequest[]> {
  return (read) => given(({ requests }) => read(requests))
}

/** The insert of the jobs. `from` is what follows FROM: one row with the instant `at`, or none. */
export function insertJobs(
  names: SchemaNames,
  { columns, values, source }: JobInput,
  from: RawBuilder<unknown>,
): RawBuilder<unknown> {
  return sql`INSERT INTO ${names.jobs} (${columns}, created_at, updated_at)
      SELECT ${values}, i.created_at, i.created_at FROM ${source(from)}`
}

/** The rows that an insert writes besides the jobs: metadata, and lane events. */
export type MoreRows = Pick<JobInput, 'hasMetadata' | 'hasLanes'>

export function hasMoreRows({ hasMetadata, hasLanes }: MoreRows): boolean {
  return hasMetadata || hasLanes
}

/** The columns of the written jobs from which the further rows are made. */
function moreRowsColumns({ hasMetadata, hasLanes }: MoreRows): RawBuilder<unknown> {
  return sql.join([
    sql`tenant_id`,
    ...(hasMetadata ? [sql`metadata`] : []),
    ...(hasLanes ? [sql`run_at AS due_at, queue, kind, key, priority`] : []),
  ])
}

/** The inserts of the further rows, as parts of the statement. */
export function insertMoreRows(names: SchemaNames, { hasMetadata, hasLanes }: MoreRows): RawBuilder<unknown> {
  const metadata = hasMetadata ? sql`, ${insertedMetadata(names, 'written')}` : sql``
  return hasLanes ? sql`${metadata}, ${writeWaitingEvents(names, 'written', 'due_at')}` : metadata
}

/** The end of an insert whose idempotency keys may be known: conflicts are skipped, and the written rows returned. */
export function onConflictDoNothing(more: MoreRows): RawBuilder<unknown> {
  return sql`
    ON CONFLICT DO NOTHING
    RETURNING ${asText(sql`id`)} AS id, ${asText(epochMs(sql`run_at`))} AS run_at,
              ${asText(epochMs(sql`created_at`))} AS created_at${hasMoreRows(more) ? sql`, ${moreRowsColumns(more)}` : sql``}`
}

/** When a new job was created. All jobs of one statement were created at the same instant. */
export const newJobsCreatedAt = sql`${asText(epochMs(sql`created_at`))} AS created_at`

/** `written AS (…)`: an insert that cannot conflict, with the further rows where there are some. */
export function insertNewJobs(
  names: SchemaNames,
  insert: RawBuilder<unknown>,
  more: MoreRows,
): RawBuilder<unknown> {
  return hasMoreRows(more)
    ? sql`written AS (${insert} RETURNING id, created_at, ${moreRowsColumns(more)})${insertMoreRows(names, more)}`
    : sql`written AS (${insert} RETURNING created_at)`
}
