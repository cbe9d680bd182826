// Stores the lines that handlers logged during their attempts. Called by the worker that ran the attempt.
import { type Given, nulls, orNull, plainArray, template } from '@queue/postgres'
import { sql } from 'kysely'
import type { QueueDatabase } from '../database/connect.ts'
import { perSchema } from '../database/schema-names.ts'
import type { Lease } from '../domain/job.ts'
import { executionsPerJobMax } from '../domain/limits.ts'
import type { LogLevel } from '../domain/log-line.ts'
import { leaseIds, leaseInput, leaseTokens } from '../database/lease-rows.ts'

/** A line that is not stored yet. PostgreSQL can store its texts. */
export interface NewLogLine {
  /** From 1. */
  readonly line: number
  /** Milliseconds since 1970. */
  readonly atMs: number
  readonly level: LogLevel
  readonly message: string
  /** The JSON text of an object; null: none. */
  readonly fieldsText: string | null
}

/** Further lines of one attempt. */
export interface LogWrite {
  readonly lease: Lease
  readonly attempt: number
  readonly lines: readonly NewLogLine[]
}

/**
 * Stores these lines, each under the lease of its attempt, as long as no other worker has claimed the job since. A
 * share lock on the job delays its next claim until the lines are committed: no line of an attempt comes after one of a
 * later attempt, and a reader of a later attempt's lines has seen all of the earlier ones. A job that has just ended
 * still accepts lines. Lines that exist already are left alone, so a repeated call is safe.
 *
 * A job keeps the lines of as many leases as it keeps attempts.
 */
export async function writeLogs(database: QueueDatabase, writes: readonly LogWrite[]): Promise<void> {
  if (writes.length === 0) return
  // Jobs are locked in the order of the input.
  const sorted = writes.toSorted((a, b) => (a.lease.jobId < b.lease.jobId ? -1 : 1))
  const statement = statementIn(database.names)
  const missed = await database.run(statement(sorted), 'looping')
  // A statement that has waited for the end of an attempt sees neither row of a job that has left `jobs`. The next one does.
  if (missed.length > 0) await database.run(statement(sorted), 'looping')
}

interface FlatLine extends NewLogLine {
  readonly write: LogWrite
}

type Input = readonly LogWrite[]

const statementIn = perSchema((names) =>
  template<Input, { readonly id: string }>((given) => {
    const trimmed = sql`
      DELETE FROM ${names.logs} AS x USING held AS h
       WHERE h.lease_token > ${sql.lit(executionsPerJobMax)} AND x.job_id = h.id
         AND x.lease_token <= h.lease_token - ${sql.lit(executionsPerJobMax)}`
    return sql`
    WITH input AS MATERIALIZED (
      SELECT i.* FROM ${leaseInput(given(leaseIds), given(leaseTokens))}
    ), live AS MATERIALIZED (
      SELECT j.id, j.lease_token
        FROM input AS i
       CROSS JOIN LATERAL (
         SELECT j.id, j.lease_token FROM ${names.jobs} AS j
          WHERE j.id = i.id AND j.lease_token = i.lease_token
            FOR SHARE
       ) AS j
    ), archived AS MATERIALIZED (
      SELECT e.id, e.lease_token
        FROM input AS i
       CROSS JOIN LATERAL (
         SELECT e.id, e.lease_token FROM ${names.endedJobs} AS e
          WHERE e.id = i.id AND e.lease_token = i.lease_token
            FOR KEY SHARE
       ) AS e
       WHERE (i.id, i.lease_token) NOT IN (SELECT h.id, h.lease_token FROM live AS h)
    ), held AS MATERIALIZED (
      SELECT h.id, h.lease_token FROM live AS h UNION ALL SELECT h.id, h.lease_token FROM archived AS h
    ), trimmed AS (${trimmed}), written AS (
    INSERT INTO ${names.logs} (job_id, lease_token, attempt, line, at, level, message, fields)
    SELECT l.job_id, l.lease_token, l.attempt, l.line, to_timestamp(l.at_ms / 1000::float8), l.level, l.message, ${orNull(sql`l.fields`, 'text')}::jsonb
      FROM unnest(${lineValues(given, ({ write }) => write.lease.jobId)}::uuid[],
             ${lineValues(given, ({ write }) => write.lease.token)}::bigint[],
             ${lineValues(given, ({ write }) => write.attempt)}::integer[], ${lineValues(given, ({ line }) => line)}::integer[],
             ${lineValues(given, ({ atMs }) => atMs)}::float8[], ${lineValues(given, ({ level }) => level)}::text[],
             ${given((writes) => flatLines(writes).map(({ message }) => message))}::text[],
             ${given((writes) => flatLines(writes).map(({ fieldsText }) => fieldsText ?? nulls.text))}::text[])
        AS l (job_id, lease_token, attempt, line, at_ms, level, message, fields)
     WHERE (l.job_id, l.lease_token) IN (SELECT h.id, h.lease_token FROM held AS h)
    ON CONFLICT DO NOTHING
    )
    SELECT i.id FROM input AS i WHERE (i.id, i.lease_token) NOT IN (SELECT h.id, h.lease_token FROM held AS h)`
  }),
)

/** One value of each line, as the text of an array. */
function lineValues(given: Given<Input>, read: (line: FlatLine) => string | number) {
  return given((writes) => plainArray(flatLines(writes).map(read)))
}

function flatLines(writes: Input): FlatLine[] {
  return writes.flatMap((write) => write.lines.map((line) => ({ ...line, write })))
}
