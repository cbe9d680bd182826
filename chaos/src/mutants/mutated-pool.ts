import pg from 'pg'
import { type Mutation, mutate } from './mutation.ts'

/** A pool that adds a defect to statements when it sends them. */
export interface MutatedPool {
  readonly pool: pg.Pool
  /** Opens another pool with the defect, for a case that blocks its connections. `name` is the name of its sessions. */
  open(size: { readonly max: number; readonly name: string }): pg.Pool
  /** How many statements or connections were altered. A mutant that alters none proves nothing. */
  alteredCount(): number
  /** The texts of the statements before the changes. */
  readonly statements: ReadonlySet<string>
}

/** Enough connections: the cases hold some of them in transactions while others wait. */
const poolMax = 20

/** Creates the pool; without a mutation, one that changes nothing. */
export function createMutatedPool(connectionString: string, mutation: Mutation | undefined): MutatedPool {
  const edits = mutation?.edits ?? []
  const statements = new Set<string>()
  let altered = 0
  class MutatedClient extends pg.Client {
    constructor(config?: pg.ClientConfig) {
      super(config)
      if (mutation?.connections === undefined) return
      altered += 1
      // Without the id of its session, no request can cancel its current statement.
      Object.defineProperty(this, 'processID', { get: () => null, set: ignore })
    }
    // oxlint-disable-next-line typescript/no-explicit-any -- the overloads of pg's query are many, and we need one.
    override query(...args: any[]): any {
      const [config, ...otherArgs] = args as [unknown, ...unknown[]]
      if (isStatement(config)) statements.add(config.text)
      const text = isStatement(config) ? mutate(config.text, edits) : undefined
      if (text === undefined) return super.query(...(args as [string]))
      altered += 1
      return super.query(...([{ ...(config as pg.QueryConfig), text }, ...otherArgs] as unknown as [string]))
    }
  }
  const open = (options: pg.PoolConfig): pg.Pool => {
    const pool = new pg.Pool({ connectionString, Client: MutatedClient, ...options })
    pool.on('error', ignore)
    return pool
  }
  return {
    pool: open({ max: poolMax }),
    open: ({ max, name }) => open({ max, application_name: name }),
    alteredCount: () => altered,
    statements,
  }
}

function isStatement(config: unknown): config is pg.QueryConfig {
  return typeof config === 'object' && config !== null && 'text' in config
}

function ignore(): void {}
