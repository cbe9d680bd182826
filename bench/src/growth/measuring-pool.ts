import pg from 'pg'

/** What one statement cost. */
export interface Cost {
  /** Wall-clock milliseconds of the statement, its round trip included. */
  readonly ms: number
  /** 8 KiB pages that its plan touched, in memory or not. */
  readonly buffers: number
}

/** A pool that explains each statement, in a transaction that is rolled back, before it runs it. */
export interface MeasuringPool {
  readonly pool: pg.Pool
  /** The costs of the statements since the last call. */
  take(): Cost[]
}

export function createMeasuringPool(connectionString: string): MeasuringPool {
  let costs: Cost[] = []
  class MeasuringClient extends pg.Client {
    // oxlint-disable-next-line typescript/no-explicit-any -- the overloads of pg's query are many, and we need one.
    override query(...args: any[]): any {
      if (!isStatement(args)) return super.query(...(args as [string]))
      const [config, answer] = args
      void this.#measured(config).then(
        (result) => answer(null, result),
        (error: Error) => answer(error),
      )
    }

    async #measured(config: pg.QueryConfig): Promise<pg.QueryResult> {
      const buffers = await this.#explained(config)
      const startedMs = performance.now()
      const result = await super.query(config)
      costs.push({ ms: performance.now() - startedMs, buffers })
      return result
    }

    async #explained({ text, values = [] }: pg.QueryConfig): Promise<number> {
      await super.query('BEGIN')
      const explain = `EXPLAIN (ANALYZE, BUFFERS, TIMING OFF, FORMAT JSON) ${text}`
      const { rows } = await super.query<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(explain, [...values])
      await super.query('ROLLBACK')
      return rows[0] === undefined ? 0 : ownBuffers(rows[0]['QUERY PLAN'][0].Plan)
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

type Answer = (error: Error | null, result?: pg.QueryResult) => void

/** Statements of ours are sent as objects and wait for a callback; what the measuring itself sends does not. */
function isStatement(args: readonly unknown[]): args is readonly [pg.QueryConfig, Answer] {
  const [config, answer] = args
  return typeof config === 'object' && config !== null && 'text' in config && typeof answer === 'function'
}

interface PlanNode {
  readonly 'Shared Hit Blocks'?: number
  readonly 'Shared Read Blocks'?: number
  readonly Plans?: readonly PlanNode[]
}

/** A node's own pages, and those of all below it: data-modifying parts may run outside of their parent's count. */
function ownBuffers(node: PlanNode): number {
  const children = node.Plans ?? []
  const own = pages(node) - children.reduce((sum, child) => sum + pages(child), 0)
  return Math.max(0, own) + children.reduce((sum, child) => sum + ownBuffers(child), 0)
}

function pages(node: PlanNode): number {
  return (node['Shared Hit Blocks'] ?? 0) + (node['Shared Read Blocks'] ?? 0)
}
