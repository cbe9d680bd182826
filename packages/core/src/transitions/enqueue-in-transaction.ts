// (nothing) → queued, inside the caller's own transaction. Called by any user of the queue.
import { type RawBuilder, sql } from 'kysely'
import { callerIsInside, type Given, type TransactionId } from '@queue/postgres'
import type { CallerDatabase } from '../database/connect.ts'
import { encodeNotification, type Notification, notifyChannel } from '../database/notifications.ts'
import {
  createInsert,
  insertJobs,
  type InsertInput,
  insertNewJobs,
  newJobsCreatedAt,
} from '../database/job-insert.ts'
import type { IdentifiedRequest } from '../database/job-input.ts'
import { type Enqueued, newJobs, type WrittenRow } from './enqueue-jobs.ts'

interface InsertInside extends InsertInput {
  /** The transaction that the jobs must be part of. */
  readonly transactionId: TransactionId
  readonly channel: string
  /** Sent at the commit of the transaction. Equal ones are sent once. */
  readonly notifications: readonly Notification[]
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

/** The row has no instant where nothing was written, because the enqueue has waited too long. */
const insertNew = createInsert<InsertInside, WrittenRow>((names, input, given) => {
  const insert = insertJobs(
    names,
    input,
    sql`caller CROSS JOIN clock_timestamp() AS at WHERE caller.is_inside AND ${input.inTime}`,
  )
  return sql`
    WITH ${callerIsInside(given(({ transactionId }) => transactionId))}, ${insertNewJobs(names, insert, input)}, ${notified(given)}
    SELECT (SELECT ${newJobsCreatedAt} FROM written LIMIT 1) AS created_at, (SELECT count(*) FROM notified) AS notified
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
