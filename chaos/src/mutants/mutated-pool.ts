import pg from 'pg'
import { type Mutation, mutate } from './mutation.ts'

/** A pool whose statements carry a defect on their way to the server. */
export interface MutatedPool {
  readonly pool: pg.Pool
  /** How many statements were altered: a mutant that alters none proves nothing. */
  altered(): number
  /** The texts of the statements as they were before. */
  readonly statements: ReadonlySet<string>
}

/** Connections at most: the plots hold some of them in transactions while others wait for those. */
const poolMax = 20

/** Without a mutation, a pool as it is. */
export function createMutatedPool(connectionString: string, mutation: Mutation | undefined): MutatedPool {
  const edits = mutation?.edits ?? []
  const statements = new Set<string>()
  let altered = 0
  class MutatedClient extends pg.Client {
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
  const pool = new pg.Pool({ connectionString, max: poolMax, Client: MutatedClient })
  pool.on('error', () => undefined)
  return {
    pool,
    altered: () => altered,
    statements,
  }
}

function isStatement(config: unknown): config is pg.QueryConfig {
  return typeof config === 'object' && config !== null && 'text' in config
}
