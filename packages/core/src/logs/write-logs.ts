// The lines of attempts, as their handlers logged them. Called by the worker that ran the attempt.
import { type Given, plainArray, template } from '@queue/postgres'
import { sql } from 'kysely'
import type { QueueDatabase } from '../database/connect.ts'
import { perSchema } from '../database/schema-names.ts'
import type { Lease } from '../domain/job.ts'
import { executionsPerJobMax } from '../domain/limits.ts'
import type { LogLevel } from '../domain/log-line.ts'
import { leaseIds, leaseInput, leaseTokens } from '../transitions/complete-attempts.ts'

/** One line before it is stored. Its texts can be stored: nothing in them is refused. */
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
 * Stores these lines, each under the lease of its attempt, as long as the job has been claimed by nobody else since. A share
 * lock on the job holds up its next claim until they are committed: lines of an attempt never come after one of a later
 * attempt, and whoever has read those of the later one has read all of the earlier. A job that has just ended still takes
 * them. Lines that are there already are left: a repetition is safe.
 *
 * A job keeps the lines of as many leases as it keeps attempts.
 */
export async function writeLogs(database: QueueDatabase, writes: readonly LogWrite[]): Promise<void> {
  if (writes.length === 0) return
  // The jobs are locked in the order of the input.
  const sorted = writes.toSorted((a, b) => (a.lease.jobId < b.lease.jobId ? -1 : 1))
  await database.run(statementIn(database.names)(sorted), 'looping')
}

interface FlatLine extends NewLogLine {
  readonly write: LogWrite
}

type Input = readonly LogWrite[]

const statementIn = perSchema((names) =>
  template<Input, unknown>((given) => {
    const trimmed = sql`
      DELETE FROM ${names.logs} AS x USING held AS h
       WHERE h.lease_token > ${sql.lit(executionsPerJobMax)} AND x.job_id = h.id
         AND x.lease_token <= h.lease_token - ${sql.lit(executionsPerJobMax)}`
    return sql`
    WITH held AS MATERIALIZED (
      SELECT j.id, j.lease_token
        FROM ${leaseInput(given(leaseIds), given(leaseTokens))}
       CROSS JOIN LATERAL (
         SELECT j.id, j.lease_token FROM ${names.jobs} AS j
          WHERE j.id = i.id AND j.lease_token = i.lease_token
            FOR SHARE
       ) AS j
    ), trimmed AS (${trimmed})
    INSERT INTO ${names.logs} (job_id, lease_token, attempt, line, at, level, message, fields)
    SELECT l.job_id, l.lease_token, l.attempt, l.line, to_timestamp(l.at_ms / 1000), l.level, l.message, l.fields::jsonb
      FROM unnest(${lines(given, ({ write }) => write.lease.jobId)}::uuid[],
             ${lines(given, ({ write }) => write.lease.token)}::bigint[],
             ${lines(given, ({ write }) => write.attempt)}::integer[], ${lines(given, ({ line }) => line)}::integer[],
             ${lines(given, ({ atMs }) => atMs)}::float8[], ${lines(given, ({ level }) => level)}::text[],
             ${given((writes) => flat(writes).map(({ message }) => message))}::text[],
             ${given((writes) => flat(writes).map(({ fieldsText }) => fieldsText))}::text[])
        AS l (job_id, lease_token, attempt, line, at_ms, level, message, fields)
     WHERE (l.job_id, l.lease_token) IN (SELECT h.id, h.lease_token FROM held AS h)
    ON CONFLICT DO NOTHING`
  }),
)

/** One value of each line, as the text of an array. */
function lines(given: Given<Input>, read: (line: FlatLine) => string | number) {
  return given((writes) => plainArray(flat(writes).map(read)))
}

function flat(writes: Input): FlatLine[] {
  return writes.flatMap((write) => write.lines.map((line) => ({ ...line, write })))
}
