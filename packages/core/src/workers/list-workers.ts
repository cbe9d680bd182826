import { isLiveWorker } from '../database/live-worker.ts'
import { epochMs } from '@queue/postgres'
import { sql } from 'kysely'
import type { QueueDatabase } from '../database/connect.ts'
import type { WorkerState } from '../database/tables.ts'

/** A worker process in the registry. */
export interface WorkerInfo {
  readonly id: string
  readonly hostname: string
  readonly pid: number
  readonly version: string
  /** The version of the time zone data of its Node release. */
  readonly zoneVersion: string
  readonly queues: readonly string[]
  readonly kinds: readonly string[]
  readonly concurrency: number
  /** `lost` as soon as the lease has ended, whether or not another worker has noticed. */
  readonly state: WorkerState
  readonly running: number
  readonly startedAt: Date
  readonly heartbeatAt: Date
  readonly leaseExpiresAt: Date
}

/** The workers of the last hour: live ones first, and within each group the newest first. */
export async function listWorkers(database: QueueDatabase): Promise<WorkerInfo[]> {
  const { db } = database.names
  const rows = await database.run(
    db
      .selectFrom('workers as w')
      .select([
        'w.id',
        'w.hostname',
        'w.pid',
        'w.version',
        'w.zone_version as zoneVersion',
        'w.queues',
        'w.kinds',
        'w.concurrency',
      ])
      .select(({ ref, selectFrom }) => [
        selectFrom('jobs as j')
          .select(sql<number>`count(*)::int`.as('running'))
          .whereRef('j.locked_by', '=', 'w.id')
          .where('j.locked_by', 'is not', null)
          .$asScalar()
          .$notNull()
          .as('running'),
        sql<WorkerState>`CASE WHEN w.state = 'active' AND NOT (${isLiveWorker}) THEN 'lost' ELSE w.state END`.as(
          'state',
        ),
        epochMs(ref('w.started_at')).as('startedMs'),
        epochMs(ref('w.heartbeat_at')).as('heartbeatMs'),
        epochMs(ref('w.lease_expires_at')).as('leaseExpiresMs'),
      ])
      .orderBy(isLiveWorker, 'desc')
      .orderBy('w.started_at', 'desc')
      .orderBy('w.id'),
  )
  return rows.map(({ startedMs, heartbeatMs, leaseExpiresMs, ...worker }) => ({
    ...worker,
    startedAt: new Date(startedMs),
    heartbeatAt: new Date(heartbeatMs),
    leaseExpiresAt: new Date(leaseExpiresMs),
  }))
}
