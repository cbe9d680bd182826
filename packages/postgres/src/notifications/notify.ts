import { sql } from 'kysely'
import type { Session, Statement } from '../statements/session.ts'
import { template } from '../statements/template.ts'

/** Payloads for one channel. */
export interface Notifications {
  readonly channel: string
  /** Texts of less than 8 000 bytes each, which is PostgreSQL's limit. */
  readonly payloads: readonly string[]
}

/** Sends notifications in a transaction of their own. Does nothing if there are none. */
export async function notify(session: Session, notifications: Notifications): Promise<void> {
  if (notifications.payloads.length > 0) await session.run(notifyStatement(notifications), 'frequent')
}

/**
 * The statement that sends notifications in a transaction of its own. Its commit does not wait for the disk, because a
 * notification may be lost anyway. The setting ends with the transaction.
 */
export const notifyStatement: (notifications: Notifications) => Statement<unknown> = template<
  Notifications,
  unknown
>(
  (given) => sql`
    WITH apart AS MATERIALIZED (SELECT set_config('synchronous_commit', 'off', true))
    SELECT pg_notify(${given(({ channel }) => channel)}, payload)
      FROM apart CROSS JOIN unnest(${given(({ payloads }) => payloads)}::text[]) AS payload`,
)
