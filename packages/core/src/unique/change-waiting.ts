// queued → queued: how an enqueue changes the job that waits under its unique key.
import { type RawBuilder, sql } from 'kysely'
import type { QueueDatabase } from '../database/connect.ts'
import { type IdentifiedRequest, jobInput, wholeShapeOf } from '../database/job-input.ts'
import { decodeJob, type JobRow, jobColumns } from '../database/job-row.ts'
import { andWithin } from '../database/scope.ts'
import { replacedColumns } from '../database/tables.ts'
import type { Job } from '../domain/job.ts'
import { isWaiting, type RunGated } from './slots.ts'

/** A change of a waiting job. `hold` only locks the job, so that it starts after the commit. */
export interface WaitingChange {
  readonly jobId: string
  readonly content: 'hold' | 'reschedule' | 'replace'
  /**
   * The request whose payload and options the job takes over, and the request whose start it takes over. They are
   * mostly the same.
   */
  readonly replacedBy: IdentifiedRequest
  readonly startsAs: IdentifiedRequest
  /** The start is not moved beyond this instant, in milliseconds since 1970; null: there is no bound. */
  readonly startMsMax: number | null
}

/**
 * Changes those of the jobs that still wait, and locks them until the transaction ends, in the order of their ids. The
 * answer has the changed jobs; undefined stands for a job that was only locked. Jobs that another transaction has
 * locked, or that were claimed, are left out: a transaction that holds a slot never waits for a job. An SQL function
 * makes the change and refuses every other job, because none of our roles may change the work of a job.
 *
 * The start of a due job stays, so that the job keeps its place and no request can postpone it for ever.
 */
export async function changeWaiting(
  database: QueueDatabase,
  changes: readonly WaitingChange[],
  run: RunGated,
): Promise<ReadonlyMap<string, Job | undefined>> {
  const { names } = database
  const replacement = replacedColumns.map((name) => sql`${sql.id(name)} => p.${sql.id(name)}`)
  const rows = await run(
    (gate) => sql<JobRow & { readonly locked_id: string | null }>`
    WITH ${gate}, ${changeRows(changes)}, locked AS MATERIALIZED (
      SELECT j.id FROM gate CROSS JOIN (SELECT h.id FROM how AS h ORDER BY h.id) AS h
       CROSS JOIN LATERAL (
         SELECT j.id FROM ${names.jobs} AS j WHERE j.id = h.id AND ${isWaiting(names)}${andWithin(database, 'j')}
            FOR NO KEY UPDATE SKIP LOCKED
       ) AS j
    ), picked AS MATERIALIZED (
      SELECT w.*, h.content, to_timestamp(h.start_ms_max / 1000) AS start_max
        FROM locked JOIN how AS h USING (id) JOIN wanted AS w USING (id) WHERE h.content <> 'hold'
    ), changed AS MATERIALIZED (
      SELECT c.* FROM picked AS p
       CROSS JOIN LATERAL ${names.changeWaiting}(job => p.id, replaces => p.content = 'replace',
             start_at => p.run_at, start_max => p.start_max, ${sql.join(replacement)}) AS c
    )
    SELECT locked.id::text AS locked_id, ${jobColumns('c')}
      FROM gate LEFT JOIN locked ON true LEFT JOIN changed AS c ON c.id = locked.id`,
  )
  return new Map(
    rows.flatMap((row) =>
      row.locked_id === null ? [] : [[row.locked_id, row.id === null ? undefined : decodeJob(row)] as const],
    ),
  )
}

/** The changes as two tables: `wanted` has the new values as rows of the jobs table, and `how` says what to take from them. */
function changeRows(changes: readonly WaitingChange[]): RawBuilder<unknown> {
  const requests = changes.map(({ jobId, replacedBy, startsAs }) => ({
    ...replacedBy,
    id: jobId,
    runAt: startsAs.runAt,
    delayMs: startsAs.delayMs,
  }))
  const { columns, values, source } = jobInput(wholeShapeOf(requests), (read) => sql`${read(requests)}`)
  return sql`wanted (${columns}) AS MATERIALIZED (
      SELECT ${values} FROM ${source(sql`clock_timestamp() AS at`)}
    ), how AS MATERIALIZED (
      SELECT h.* FROM unnest(${changes.map(({ jobId }) => jobId)}::uuid[],
             ${changes.map(({ content }) => content)}::text[],
             ${changes.map(({ startMsMax }) => startMsMax)}::float8[]) AS h (id, content, start_ms_max)
    )`
}

/**
 * Waits for these jobs and locks them, in the order of their ids. Only called before slots are locked: a holder of
 * slots must not wait for jobs.
 */
export async function lockJobs({ names, run }: QueueDatabase, ids: readonly string[]): Promise<void> {
  await run(sql`
    SELECT j.id FROM (SELECT unnest(${ids.toSorted()}::uuid[]) AS id) AS i
     CROSS JOIN LATERAL (SELECT j.id FROM ${names.jobs} AS j WHERE j.id = i.id FOR NO KEY UPDATE) AS j`)
}
