import { Counter, Gauge } from 'prom-client'
import { type MetricsRegistry } from './metrics-registry.ts'

/** The counters that a pg pool keeps. */
export interface PoolCounts {
  readonly totalCount: number
  readonly idleCount: number
  readonly waitingCount: number
}

/**
 * `db_pool_connections{state}`: connections in use and idle, and the callers waiting for one; and
 * `db_pool_acquire_timeouts_total`, the callers that got none in time. Read at each scrape.
 */
export function observePool(
  registry: MetricsRegistry,
  pool: PoolCounts,
  options: { readonly acquireTimeouts: () => number },
): void {
  new Counter({
    name: 'db_pool_acquire_timeouts_total',
    help: 'Callers that failed because no connection of the pool was free in time.',
    registers: [registry],
    collect() {
      this.reset()
      this.inc(options.acquireTimeouts())
    },
  })
  new Gauge({
    name: 'db_pool_connections',
    help: 'Connections of the pool by state (active, idle), and callers waiting for one (waiting).',
    labelNames: ['state'],
    registers: [registry],
    collect() {
      this.set({ state: 'active' }, pool.totalCount - pool.idleCount)
      this.set({ state: 'idle' }, pool.idleCount)
      this.set({ state: 'waiting' }, pool.waitingCount)
    },
  })
}
