import { epochMs } from '@queue/postgres'
import { type RawBuilder, sql } from 'kysely'
import type { Limit, LimitScope, RetryOrder, ShareOwner } from './limit-rule.ts'

/** A limit as statements return it. */
export interface LimitRow {
  readonly queue: string
  readonly scope: LimitScope
  readonly name: string
  readonly max_running: number | null
  readonly max_waiting: number | null
  readonly rate_count: number | null
  readonly rate_per_ms: number | null
  readonly rate_burst: number | null
  readonly paused_ms: number | null
  readonly on_retry: RetryOrder | null
  readonly fair_by: ShareOwner | null
  readonly weight: number | null
  readonly created_ms: number
  readonly updated_ms: number
}

/** The columns of a `LimitRow`, read from the row named `alias`. */
export function limitColumns(alias: string): RawBuilder<unknown> {
  const column = (name: string) => sql.ref(`${alias}.${name}`)
  const unchangedColumns = [
    'queue',
    'scope',
    'name',
    'max_running',
    'max_waiting',
    'rate_count',
    'rate_per_ms',
    'rate_burst',
    'on_retry',
    'fair_by',
    'weight',
  ]
  return sql`${sql.join(unchangedColumns.map(column))}, ${epochMs(column('paused_at'))} AS paused_ms,
             ${epochMs(column('created_at'))} AS created_ms, ${epochMs(column('updated_at'))} AS updated_ms`
}

export function decodeLimit(row: LimitRow): Limit {
  const { rate_count: count, rate_per_ms: perMs, rate_burst: burst } = row
  return {
    queue: row.queue,
    scope: row.scope,
    name: row.name === '' ? null : row.name,
    maxRunning: row.max_running,
    maxWaiting: row.max_waiting,
    rate: count === null || perMs === null || burst === null ? null : { count, perMs, burst },
    ordered: row.on_retry && { onRetry: row.on_retry },
    fairBy: row.fair_by,
    weight: row.weight,
    pausedAt: row.paused_ms === null ? null : new Date(row.paused_ms),
    createdAt: new Date(row.created_ms),
    updatedAt: new Date(row.updated_ms),
  }
}
