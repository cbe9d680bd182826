import pg from 'pg'

/** The cost of one statement. */
export interface Cost {
  /** Wall-clock time of the statement in milliseconds, including its round trip. */
  readonly ms: number
  /** 8 KiB pages that its plan read, cached or not. */
  readonly buffers: number
}

/** A pool that runs EXPLAIN ANALYZE for each statement in a transaction that is rolled back, and then the statement itself. */
export interface MeasuringPool {
  readonly pool: pg.Pool
  /** Returns the costs of the statements since the last call. */
  take(): Cost[]
}

export function createMeasuringPool(connectionString: string): MeasuringPool {
  let costs: Cost[] = []
  class MeasuringClient extends pg.Client {
    // oxlint-disable-next-line typescript/no-explicit-any -- pg's query has many overloads, of which one is needed here.
    override query(...args: any[]): any {
      if (!isStatement(args)) return super.query(...(args as [string]))
      const [config, onResult] = args
      void this.#measure(config).then(
        (result) => onResult(null, result),
        (error: Error) => onResult(error),
      )
    }

    async #measure(config: pg.QueryConfig): Promise<pg.QueryResult> {
      const buffers = await this.#countBuffers(config)
      const startedMs = performance.now()
      const result = await super.query(config)
      costs.push({ ms: performance.now() - startedMs, buffers })
      return result
    }

    async #countBuffers({ text, values = [] }: pg.QueryConfig): Promise<number> {
      await super.query('BEGIN')
      const explain = `EXPLAIN (ANALYZE, BUFFERS, TIMING OFF, FORMAT JSON) ${text}`
      const { rows } = await super.query<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(explain, [...values])
      await super.query('ROLLBACK')
      return rows[0] === undefined ? 0 : totalBuffers(rows[0]['QUERY PLAN'][0].Plan)
    }
  }
  const pool = new pg.Pool({ connectionString, max: 1, Client: MeasuringClient })
  return {
    pool,
    take: () => {
      const measured = costs
      costs = []
      return measured
    },
  }
}

type Callback = (error: Error | null, result?: pg.QueryResult) => void

/**
 * Whether these are the arguments of a statement of the queue: an object and a callback. The pool's own calls have no callback.
 */
function isStatement(args: readonly unknown[]): args is readonly [pg.QueryConfig, Callback] {
  const [config, onResult] = args
  return typeof config === 'object' && config !== null && 'text' in config && typeof onResult === 'function'
}

interface PlanNode {
  readonly 'Shared Hit Blocks'?: number
  readonly 'Shared Read Blocks'?: number
  readonly Plans?: readonly PlanNode[]
}

/** The pages of a node and of all nodes below it. The count of a node may not include data-modifying parts below it. */
function totalBuffers(node: PlanNode): number {
  const children = node.Plans ?? []
  const ownPages = pages(node) - children.reduce((sum, child) => sum + pages(child), 0)
  return Math.max(0, ownPages) + children.reduce((sum, child) => sum + totalBuffers(child), 0)
}

function pages(node: PlanNode): number {
  return (node['Shared Hit Blocks'] ?? 0) + (node['Shared Read Blocks'] ?? 0)
}
