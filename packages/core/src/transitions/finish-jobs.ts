// running → succeeded. Called by the worker that holds the lease; a lost lease changes nothing.
import { type RawBuilder, sql } from 'kysely'
import { type Given, orNull, sqlStateOf } from '@queue/postgres'
import { archiveRange, staysInJobs } from '../database/archive.ts'
import { updatedSince } from '../database/instant.ts'
import type { Lease } from '../domain/job.ts'
import { leaseIds, leaseTokens, textsOf } from '../database/lease-rows.ts'
import type { SchemaNames } from '../database/schema-names.ts'
import { archivedColumns } from '../database/tables.ts'
import {
  type CompletionGroup,
  countsAsOneRow,
  createCompletion,
  type UnusualRow,
} from './complete-attempts.ts'

export interface FinishWrite {
  readonly lease: Lease
  /** The JSON text of the handler's result, or null. */
  readonly resultText: string | null
  /** Written to `last_error` where the result could not be kept; null otherwise. */
  readonly note: string | null
}

function finishInput(given: Given<readonly FinishWrite[]>): RawBuilder<unknown> {
  return sql`unnest(${given(leaseIds)}::uuid[], ${given(leaseTokens)}::bigint[],
      ${given(textsOf((write) => write.resultText))}::text[], ${given(textsOf((write) => write.note))}::text[])
      AS i (id, lease_token, result, note)`
}

/** The values of columns that the end changes. `e`: the row as it left `jobs`, with the columns of the input. */
const endedValues: Partial<Record<(typeof archivedColumns)[number], RawBuilder<unknown>>> = {
  updated_at: updatedSince(sql`e.updated_at`, sql`statement_timestamp()`),
  started_at: sql`e.locked_at`,
  finished_at: sql`statement_timestamp()`,
  worker_id: sql`e.locked_by`,
  result: sql`${orNull(sql`e.new_result`, 'text')}::jsonb`,
  last_error: sql`coalesce(${orNull(sql`e.note`, 'text')}, e.last_error)`,
}

/**
 * The end of jobs that leave `jobs`. Each is found by the primary key, in the order of the input, which is that of the ids. A job in a
 * lane, or one that stays, is not matched.
 */
function archiveStatement(names: SchemaNames, given: Given<readonly FinishWrite[]>): RawBuilder<UnusualRow> {
  const columns = sql.join(archivedColumns.map((name) => sql.id(name)))
  const values = sql.join(archivedColumns.map((name) => endedValues[name] ?? sql.ref(`e.${name}`)))
  return sql`
    WITH input AS MATERIALIZED (
      SELECT i.* FROM ${finishInput(given)} WHERE ${countsAsOneRow}
    ), ${archiveRange(names)}, ended AS (
      DELETE FROM ${names.jobs} AS j USING input AS i
       WHERE j.id = i.id AND j.lease_token = i.lease_token AND j.status = ${names.status.running}
         AND j.key IS NULL AND j.counted IS NULL AND NOT ${staysInJobs('j')}
         AND j.id >= (SELECT archive.from_id FROM archive) AND j.id < (SELECT archive.below_id FROM archive)
      RETURNING j.*, i.result AS new_result, i.note
    ), archived AS (
      INSERT INTO ${names.endedJobs} (${columns}) SELECT ${values} FROM ended AS e
    )
    SELECT i.id, i.lease_token::text AS lease_token, NULL::${names.jobStatus} AS status FROM input AS i
     WHERE (i.id, i.lease_token) NOT IN (SELECT ended.id, ended.lease_token FROM ended)`
}

const finish: CompletionGroup<FinishWrite> = {
  usualStatus: 'succeeded',
  recordedAs: ['succeeded'],
  archive: archiveStatement,
  transition: (names, given) => ({
    input: finishInput(given),
    inputColumns: ['result', 'note'],
    optionalTexts: ['result', 'note'],
    nextStatus: names.status.succeeded,
    runAt: sql`h.run_at`,
    attemptsDelta: 0,
    lastError: sql`h.note`,
    result: sql`h.result::jsonb`,
    history: 'on job',
  }),
  sanitise: (write, error) => ({
    lease: write.lease,
    resultText: null,
    note: `the result could not be stored (SQLSTATE ${sqlStateOf(error) ?? 'unknown'})`,
  }),
}

/**
 * Records that these attempts succeeded, in one statement. A requested cancel to which the
 * handler did not react changes nothing: the job is recorded as succeeded, because it did.
 */
export const finishJobs = createCompletion(finish)

/**
 * The same inside a caller's transaction. An end that was recorded before counts as `lease_lost`: it cannot be a lost
 * reply of this transaction, which is still open.
 */
export const finishJobsInside = createCompletion({ ...finish, recordedAs: [] })
