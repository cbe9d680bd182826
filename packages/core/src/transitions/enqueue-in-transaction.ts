// (nothing) → queued, inside the caller's own transaction. Called by any user of the queue.
import { type RawBuilder, sql } from 'kysely'
import { asText, callerIsInside, epochMs, type Given, type TransactionId } from '@queue/postgres'
import type { CallerDatabase } from '../database/connect.ts'
import { encodeNotification, type Notification, notifyChannel } from '../database/notifications.ts'
import {
  createInsert,
  type InsertInput,
  insertMoreRows,
  insertNewJobs,
  onConflictDoNothing,
} from '../database/job-insert.ts'
import type { IdentifiedRequest } from '../database/job-input.ts'
import { type Enqueued, type InsertedRow, insertOrFind, newJobs, type WrittenRow } from './enqueue-jobs.ts'

interface InsertInside extends InsertInput {
  /** The transaction that the jobs must be part of. */
  readonly transactionId: TransactionId
  readonly channel: string
  /** Sent at the commit of the transaction. Equal ones are sent once. */
  readonly notifications: readonly Notification[]
}

/**
 * Writes jobs of which some have an idempotency key, like `enqueueJobs`, and notifies the workers in the same
 * statement. Throws `invalid_options` outside of a transaction, with nothing written.
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

/** Writes jobs without idempotency keys, like `enqueueNewJobs`, and notifies the workers in the same statement. */
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

/** Returns one row where nothing was written. No row at all means that the statement ran outside of the transaction. */
const insertKeyed = createInsert<InsertInside, InsertedRow | { readonly id: null }>(
  (names, input, given) => sql`
    WITH ${callerIsInside(given(({ transactionId }) => transactionId))}, written AS (
      INSERT INTO ${names.jobs} (${input.columns})
      SELECT ${input.values} FROM caller CROSS JOIN ${input.source} WHERE caller.is_inside ${onConflictDoNothing(input)}
    )${insertMoreRows(names, input)}, ${notified(given)}
    SELECT w.id, w.run_at, w.created_at, (SELECT count(*) FROM notified) AS notified
      FROM caller LEFT JOIN written AS w ON true WHERE caller.is_inside`,
)

const insertNew = createInsert<InsertInside, WrittenRow>((names, input, given) => {
  const insert = sql`
      INSERT INTO ${names.jobs} (${input.columns})
      SELECT ${input.values} FROM caller CROSS JOIN ${input.source} WHERE caller.is_inside`
  return sql`
    WITH ${callerIsInside(given(({ transactionId }) => transactionId))}, ${insertNewJobs(names, insert, input)}, ${notified(given)}
    SELECT ${asText(epochMs(sql`statement_timestamp()`))} AS created_at, (SELECT count(*) FROM notified) AS notified
      FROM caller WHERE caller.is_inside`
})

/** `notified AS (…)`: sends the notifications, where the statement runs inside the transaction. */
function notified(given: Given<InsertInside>): RawBuilder<unknown> {
  return sql`notified AS MATERIALIZED (
      SELECT pg_notify(${given(({ channel }) => channel)}, notification)
        FROM caller CROSS JOIN unnest(${given(({ notifications }) => notifications.map(encodeNotification))}::text[]) AS notification
       WHERE caller.is_inside
    )`
}
