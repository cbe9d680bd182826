import { epochMs } from '@queue/postgres'
import { sql } from 'kysely'
import type { QueueDatabase } from '../database/connect.ts'

/** A worker process as the registry knows it. */
export interface WorkerInfo {
  readonly id: string
  readonly hostname: string
  readonly pid: number
  readonly version: string
  readonly queues: readonly string[]
  readonly kinds: readonly string[]
  readonly concurrency: number
  /** `active`: it holds a lease. `stopped`: it has left. `lost`: its lease expired, and its jobs were taken over. */
  readonly state: 'active' | 'stopped' | 'lost'
  readonly running: number
  readonly startedAt: Date
  readonly heartbeatAt: Date
  readonly leaseExpiresAt: Date
}

interface WorkerRow extends Omit<WorkerInfo, 'startedAt' | 'heartbeatAt' | 'leaseExpiresAt'> {
  readonly started_at: number
  readonly heartbeat_at: number
  readonly lease_expires_at: number
}

/** The workers of the last hour, active ones first, the newest of each first. */
export async function listWorkers(database: QueueDatabase): Promise<WorkerInfo[]> {
  const { names } = database
  const rows = await database.run(sql<WorkerRow>`
    SELECT w.id, w.hostname, w.pid, w.version, w.queues, w.kinds, w.concurrency, w.state,
           (SELECT count(*) FROM ${names.jobs} AS j
             WHERE j.locked_by = w.id AND j.locked_by IS NOT NULL)::int AS running,
           ${epochMs(sql`w.started_at`)} AS started_at, ${epochMs(sql`w.heartbeat_at`)} AS heartbeat_at,
           ${epochMs(sql`w.lease_expires_at`)} AS lease_expires_at
      FROM ${names.workers} AS w ORDER BY w.state = 'active' DESC, w.started_at DESC, w.id`)
  return rows.map(({ started_at, heartbeat_at, lease_expires_at, ...worker }) => ({
    ...worker,
    startedAt: new Date(started_at),
    heartbeatAt: new Date(heartbeat_at),
    leaseExpiresAt: new Date(lease_expires_at),
  }))
}
