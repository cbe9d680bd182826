import { sql } from 'kysely'
import type { QueueDatabase } from '../database/connect.ts'
import { leaseEnd } from './register-worker.ts'

/** A statement as node-postgres takes it. It can be cloned into another thread. */
export interface LeaseRenewal {
  readonly text: string
  readonly values: unknown[]
}

/**
 * The statement that renews the one lease that covers all of a worker's jobs. It changes one row, or none when the
 * worker was swept or has stopped: it must abort its handlers then, and may never renew again. It is given as text
 * because it is sent from a thread that has nothing loaded but the driver.
 */
export function renewWorkerLease(
  { names }: QueueDatabase,
  worker: { readonly id: string; readonly leaseMs: number },
): LeaseRenewal {
  const { sql: text, parameters } = names.db
    .updateTable('workers')
    .set({ heartbeat_at: sql`now()`, lease_expires_at: leaseEnd(worker) })
    .where('id', '=', worker.id)
    .where('state', '=', sql.lit('active'))
    .compile()
  return { text, values: [...parameters] }
}
