import { sql } from 'kysely'
import type { QueueDatabase } from '../database/connect.ts'

export interface WorkerRegistration {
  /** Unique across processes and for all time: a lost worker comes back under another id. */
  readonly id: string
  readonly hostname: string
  readonly pid: number
  readonly version: string
  readonly queues: readonly string[]
  readonly kinds: readonly string[]
  readonly concurrency: number
  readonly leaseMs: number
}

/**
 * Enters a worker with its first lease, and its queues where they are new, in one statement. Only a registered
 * worker may claim: recovery takes the jobs of every other.
 */
export async function registerWorker(database: QueueDatabase, worker: WorkerRegistration): Promise<void> {
  const { names } = database
  await database.run(sql`
    WITH known_queues AS (
      INSERT INTO ${names.queues} (name) SELECT unnest(${worker.queues.toSorted()}::text[])
      ON CONFLICT DO NOTHING
    )
    INSERT INTO ${names.workers}
      (id, hostname, pid, version, queues, kinds, concurrency, lease_expires_at)
    VALUES (${worker.id}, ${worker.hostname}, ${worker.pid}, ${worker.version}, ${worker.queues}::text[],
            ${worker.kinds}::text[], ${worker.concurrency},
            now() + ${worker.leaseMs}::float8 * interval '1 millisecond')`)
}
