// queued → queued: what an enqueue makes of the job that waits under its unique key.
import { type RawBuilder, sql } from 'kysely'
import type { QueueDatabase } from '../database/connect.ts'
import { type IdentifiedRequest, jobInput, wholeShapeOf } from '../database/job-input.ts'
import { decodeJob, type JobRow, jobColumns } from '../database/job-row.ts'
import { andWithin } from '../database/scope.ts'
import { replacedColumns } from '../database/tables.ts'
import type { Job } from '../domain/job.ts'
import { isWaiting, type RunGated } from './slots.ts'

/** What becomes of a waiting job. `hold`: it is locked, so that it begins after the commit. */
export interface WaitingChange {
  readonly jobId: string
  readonly content: 'hold' | 'reschedule' | 'replace'
  /** Its payload and options, and its start, are those of these requests; the same one mostly. */
  readonly replacedBy: IdentifiedRequest
  readonly startsAs: IdentifiedRequest
  /** No start is moved beyond this instant; null: any is. */
  readonly startMsMax: number | null
}

/**
 * Changes these jobs where they still wait, and locks them until the transaction ends, in the order of their ids; the answer
 * has them as they are then. One that somebody else has locked, or claimed, is left out: nobody waits for a job with a slot
 * in hand. The change itself is a function's, which refuses every other job: no role of ours may change the work of a job.
 *
 * A start that has come stays, so that a job which is due keeps its place, and no request can move it out of reach.
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
    WITH ${gate}, ${wantedOf(changes)}, locked AS MATERIALIZED (
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

/** The changes as rows: what is wanted of each job as a row of the table, and how it is to be taken. */
function wantedOf(changes: readonly WaitingChange[]): RawBuilder<unknown> {
  const requests = changes.map(({ jobId, replacedBy, startsAs }) => ({
    ...replacedBy,
    id: jobId,
    runAt: startsAs.runAt,
    delayMs: startsAs.delayMs,
  }))
  const { columns, values, source } = jobInput(wholeShapeOf(requests), (read) => sql`${read(requests)}`)
  return sql`wanted (${columns}) AS MATERIALIZED (
      SELECT ${values} FROM ${source}
    ), how AS MATERIALIZED (
      SELECT h.* FROM unnest(${changes.map(({ jobId }) => jobId)}::uuid[],
             ${changes.map(({ content }) => content)}::text[],
             ${changes.map(({ startMsMax }) => startMsMax)}::float8[]) AS h (id, content, start_ms_max)
    )`
}

/** Waits for these jobs, and locks them in the order of their ids: whoever holds a slot only tries. */
export async function lockJobs({ names, run }: QueueDatabase, ids: readonly string[]): Promise<void> {
  await run(sql`
    SELECT j.id FROM (SELECT unnest(${ids.toSorted()}::uuid[]) AS id) AS i
     CROSS JOIN LATERAL (SELECT j.id FROM ${names.jobs} AS j WHERE j.id = i.id FOR NO KEY UPDATE) AS j`)
}
