import { type RawBuilder, sql } from 'kysely'
import type { QueueDatabase } from '../database/connect.ts'

export interface WorkerRegistration {
  /** Unique across processes, for ever: a worker that was lost registers again with another id. */
  readonly id: string
  readonly hostname: string
  readonly pid: number
  readonly version: string
  /** The version of the time zone data of its Node release, such as 2026c. */
  readonly zoneVersion: string
  readonly queues: readonly string[]
  readonly kinds: readonly string[]
  readonly concurrency: number
  readonly leaseMs: number
}

/**
 * Registers a worker with its first lease, and its queues where they are new, in one statement. Only a registered
 * worker can claim: recovery takes over the jobs of all others.
 */
export async function registerWorker(database: QueueDatabase, worker: WorkerRegistration): Promise<void> {
  await database.run(
    database.names.db
      .with('known_queues', (db) =>
        db
          .insertInto('queues')
          .columns(['name'])
          .expression(sql`select unnest(${worker.queues.toSorted()}::text[])`)
          .onConflict((conflict) => conflict.doNothing()),
      )
      .insertInto('workers')
      .values(rowOf(worker)),
  )
}

/**
 * Undoes a registration that got no answer: what has taken effect is ended, and what has not is refused when it still reaches the
 * database, because its id is taken.
 */
export async function withdrawRegistration(
  database: QueueDatabase,
  worker: WorkerRegistration,
): Promise<void> {
  await database.run(
    database.names.db
      .insertInto('workers')
      .values({ ...rowOf(worker), state: sql.lit('stopped') })
      .onConflict((conflict) =>
        conflict
          .column('id')
          .doUpdateSet({ state: sql.lit('stopped') })
          .where('workers.state', '=', sql.lit('active')),
      ),
  )
}

function rowOf(worker: WorkerRegistration) {
  const { id, hostname, pid, version, zoneVersion, queues, kinds, concurrency } = worker
  const lease_expires_at = leaseEnd(worker)
  return {
    id,
    hostname,
    pid,
    version,
    zone_version: zoneVersion,
    queues,
    kinds,
    concurrency,
    lease_expires_at,
  }
}

/** The end of a lease that begins now. */
export function leaseEnd({ leaseMs }: Pick<WorkerRegistration, 'leaseMs'>): RawBuilder<Date> {
  return sql`now() + ${leaseMs}::float8 * interval '1 millisecond'`
}
