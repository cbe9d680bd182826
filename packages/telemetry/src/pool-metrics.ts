import { assertArguments, object, callback } from '@queue/loop/arguments'
import { Counter, Gauge } from 'prom-client'
import { assertRegistry, type MetricsRegistry } from './metrics-registry.ts'

/** The counters of a pg pool. */
export interface ObservedPool {
  readonly totalCount: number
  readonly idleCount: number
  readonly waitingCount: number
}

export interface ObservePoolsOptions<Pool extends ObservedPool> {
  /** The pools of the process, by their names in the metrics. */
  readonly pools: Readonly<Record<string, Pool>>
  /** How many callers of a pool got no connection in time. */
  readonly acquireTimeouts: (pool: Pool) => number
}

/**
 * `db_pool_connections{pool,state}`: the connections in use and idle, and the callers that wait for one.
 * `db_pool_acquire_timeouts_total{pool}`: the callers that got no connection in time. Both are read at each scrape.
 */
export function observePools<Pool extends ObservedPool>(
  registry: MetricsRegistry,
  options: ObservePoolsOptions<Pool>,
): void {
  assertRegistry('observePools', registry, options)
  const { pools, acquireTimeouts } = options
  assertArguments('observePools', { pools: object, acquireTimeouts: callback }, [pools, acquireTimeouts])
  const named = Object.entries(pools)
  new Counter({
    name: 'db_pool_acquire_timeouts_total',
    help: 'Callers that failed because no connection of the pool was free in time.',
    labelNames: ['pool'],
    registers: [registry],
    collect() {
      this.reset()
      for (const [name, pool] of named) this.inc({ pool: name }, acquireTimeouts(pool))
    },
  })
  new Gauge({
    name: 'db_pool_connections',
    help: 'Connections of the pool by state (active, idle), and callers waiting for one (waiting).',
    labelNames: ['pool', 'state'],
    registers: [registry],
    collect() {
      for (const [name, pool] of named) {
        this.set({ pool: name, state: 'active' }, pool.totalCount - pool.idleCount)
        this.set({ pool: name, state: 'idle' }, pool.idleCount)
        this.set({ pool: name, state: 'waiting' }, pool.waitingCount)
      }
    },
  })
}
