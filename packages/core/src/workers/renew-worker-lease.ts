import { sql } from 'kysely'
import type { QueueDatabase } from '../database/connect.ts'
import { leaseEnd } from './register-worker.ts'

/** A statement in the form of node-postgres. It can be cloned into another thread. */
export interface LeaseRenewal {
  readonly text: string
  readonly values: unknown[]
}

/**
 * The statement that renews the one lease of all of a worker's jobs. It changes one row, or none when the worker was
 * marked as lost or has stopped. The worker must then abort its handlers and never renew again. It is returned as text
 * because the thread that sends it has loaded nothing but the driver.
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
