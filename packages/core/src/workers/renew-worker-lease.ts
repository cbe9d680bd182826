import { sql } from 'kysely'
import { compiler } from '@queue/postgres'
import type { QueueDatabase } from '../database/connect.ts'

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
  const { sql: text, parameters } = sql`
    UPDATE ${names.workers}
       SET heartbeat_at = now(), lease_expires_at = now() + ${worker.leaseMs}::float8 * interval '1 millisecond'
     WHERE id = ${worker.id} AND state = 'active'`.compile(compiler)
  return { text, values: [...parameters] }
}
