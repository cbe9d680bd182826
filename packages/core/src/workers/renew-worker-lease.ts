import { sql } from 'kysely'
import type { QueueDatabase } from '../database/connect.ts'
import { epochMs } from '../database/job-row.ts'

export interface LeaseRenewal {
  /** `lost`: the worker was swept, or stopped. It must abort its handlers and may never renew again. */
  readonly outcome: 'renewed' | 'lost'
  /** The database's clock at the renewal, in milliseconds since 1970; undefined when lost. */
  readonly databaseNowMs: number | undefined
}

/** Renews the one lease that covers all of a worker's jobs. */
export async function renewWorkerLease(
  database: QueueDatabase,
  worker: { readonly id: string; readonly leaseMs: number },
): Promise<LeaseRenewal> {
  const rows = await database.run(sql<{ now_ms: number }>`
    UPDATE ${database.names.workers}
       SET heartbeat_at = now(), lease_expires_at = now() + ${worker.leaseMs}::float8 * interval '1 millisecond'
     WHERE id = ${worker.id} AND state = 'active'
    RETURNING ${epochMs(sql`now()`)} AS now_ms`)
  const row = rows[0]
  return row === undefined
    ? { outcome: 'lost', databaseNowMs: undefined }
    : { outcome: 'renewed', databaseNowMs: row.now_ms }
}
