import pg from 'pg'
import { type Mutation, mutate } from './mutation.ts'

/** A pool whose statements carry a defect on their way to the server. */
export interface MutatedPool {
  readonly pool: pg.Pool
  /** Another pool of this kind, for a case that holds its connections up. Its name is that of its sessions. */
  open(size: { readonly max: number; readonly name: string }): pg.Pool
  /** How many statements were altered, or connections that have a defect: a mutant that alters none proves nothing. */
  altered(): number
  /** The texts of the statements as they were before. */
  readonly statements: ReadonlySet<string>
}

/** Connections at most: the cases hold some of them in transactions while others wait for those. */
const poolMax = 20

/** Without a mutation, a pool as it is. */
export function createMutatedPool(connectionString: string, mutation: Mutation | undefined): MutatedPool {
  const edits = mutation?.edits ?? []
  const statements = new Set<string>()
  let altered = 0
  class MutatedClient extends pg.Client {
    constructor(config?: pg.ClientConfig) {
      super(config)
      if (mutation?.connections === undefined) return
      altered += 1
      // Without the number of its session nobody can ask the server to cancel what it is at.
      Object.defineProperty(this, 'processID', { get: () => null, set: ignore })
    }
    // oxlint-disable-next-line typescript/no-explicit-any -- the overloads of pg's query are many, and we need one.
    override query(...args: any[]): any {
      const [config, ...others] = args as [unknown, ...unknown[]]
      if (isStatement(config)) statements.add(config.text)
      const text = isStatement(config) ? mutate(config.text, edits) : undefined
      if (text === undefined) return super.query(...(args as [string]))
      altered += 1
      return super.query(...([{ ...(config as pg.QueryConfig), text }, ...others] as unknown as [string]))
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
    altered: () => altered,
    statements,
  }
}

function isStatement(config: unknown): config is pg.QueryConfig {
  return typeof config === 'object' && config !== null && 'text' in config
}

function ignore(): void {}
