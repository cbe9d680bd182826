// (nothing) → queued, as a part of the caller's own transaction. Called by any user of the queue.
import { type RawBuilder, sql } from 'kysely'
import { asText, callerIsInside, epochMs, type Given, type TransactionId } from '@queue/postgres'
import type { CallerDatabase } from '../database/connect.ts'
import { encodeNotification, type Notification, notifyChannel } from '../database/notifications.ts'
import {
  type Enqueued,
  followersOf,
  type InsertedRow,
  type InsertInput,
  insertOf,
  insertOrFind,
  newJobs,
  unlessKnown,
  type WrittenRow,
  writtenNew,
} from './enqueue-jobs.ts'
import type { IdentifiedRequest } from '../database/job-input.ts'

interface InsertInside extends InsertInput {
  /** The one that the jobs are to be part of. */
  readonly transactionId: TransactionId
  readonly channel: string
  /** They go out at its commit, and equal ones go out once. */
  readonly notifications: readonly Notification[]
}

/**
 * Writes these jobs, of which some have an idempotency key, as `enqueueJobs` does, and tells the workers in the same
 * statement. Throws `invalid_options`, with nothing written, outside of a transaction.
 */
export function enqueueJobsInside(
  database: CallerDatabase,
  requests: readonly IdentifiedRequest[],
  notifications: readonly Notification[],
): Promise<Enqueued[]> {
  const channel = notifyChannel(database.schema)
  return insertOrFind(database, requests, async (missing) => {
    const rows = await database.write((transactionId) =>
      insertKeyed(database.names, { requests: missing, transactionId, channel, notifications }),
    )
    return rows.filter((row) => row.id !== null)
  })
}

/** Writes jobs without idempotency keys, as `enqueueNewJobs` does, and tells the workers in the same statement. */
export async function enqueueNewJobsInside(
  database: CallerDatabase,
  requests: readonly IdentifiedRequest[],
  notifications: readonly Notification[],
): Promise<Enqueued[]> {
  if (requests.length === 0) return []
  const channel = notifyChannel(database.schema)
  const rows = await database.write((transactionId) =>
    insertNew(database.names, { requests, transactionId, channel, notifications }),
  )
  return newJobs(requests, rows)
}

/** Where nothing was written there is one row all the same: that there is none says that it ran outside. */
const insertKeyed = insertOf<InsertInside, InsertedRow | { readonly id: null }>(
  (names, input, given) => sql`
    WITH ${callerIsInside(given(({ transactionId }) => transactionId))}, written AS (
      INSERT INTO ${names.jobs} (${input.columns})
      SELECT ${input.values} FROM caller CROSS JOIN ${input.source} WHERE caller.is_inside ${unlessKnown(input)}
    )${followersOf(names, input)}, ${notified(given)}
    SELECT w.id, w.run_at, w.created_at, (SELECT count(*) FROM notified) AS notified
      FROM caller LEFT JOIN written AS w ON true WHERE caller.is_inside`,
)

const insertNew = insertOf<InsertInside, WrittenRow>((names, input, given) => {
  const insert = sql`
      INSERT INTO ${names.jobs} (${input.columns})
      SELECT ${input.values} FROM caller CROSS JOIN ${input.source} WHERE caller.is_inside`
  return sql`
    WITH ${callerIsInside(given(({ transactionId }) => transactionId))}, ${writtenNew(names, insert, input)}, ${notified(given)}
    SELECT ${asText(epochMs(sql`statement_timestamp()`))} AS created_at, (SELECT count(*) FROM notified) AS notified
      FROM caller WHERE caller.is_inside`
})

function notified(given: Given<InsertInside>): RawBuilder<unknown> {
  return sql`notified AS MATERIALIZED (
      SELECT pg_notify(${given(({ channel }) => channel)}, notification)
        FROM caller CROSS JOIN unnest(${given(({ notifications }) => notifications.map(encodeNotification))}::text[]) AS notification
       WHERE caller.is_inside
    )`
}
