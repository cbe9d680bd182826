import pg from 'pg'
import { Allocations } from './allocations.ts'
import { serverProcessorUs } from './server-processor.ts'

/** The resources that the measured part of a run used. */
export interface Costs {
  /** Processor time of the measured process with all its threads, in microseconds. */
  readonly clientUs: number
  /** Processor time of the server's processes, in microseconds; 0 if it runs on another machine. */
  readonly serverUs: number
  /** Bytes of WAL, including commit records. */
  readonly walBytes: number
  /** 8 KiB pages that the execution of the statements read, cached or not. Pages read by planning are not counted. */
  readonly buffers: number
  /** Bytes that the main thread of the measured process allocated on its heap. */
  readonly allocatedBytes: number
  /** Statements that were executed, including BEGIN and COMMIT. */
  readonly statements: number
}

export const costNames = [
  'clientUs',
  'serverUs',
  'walBytes',
  'buffers',
  'allocatedBytes',
  'statements',
] as const satisfies (keyof Costs)[]

/** The costs that the server counts. */
type ServerCosts = Pick<Costs, 'statements' | 'walBytes' | 'buffers'>

/** Creates the extension that counts statements on the server of `url`. Throws if the server does not preload it. */
export async function provideCounters(url: string): Promise<void> {
  await withClient(url, async (client) => {
    const { rows } = await client.query<{ libraries: string }>(
      "SELECT current_setting('shared_preload_libraries') AS libraries",
    )
    if (rows[0]?.libraries.includes('pg_stat_statements') !== true) {
      throw new Error(
        'the server does not count statements: start it with shared_preload_libraries = pg_stat_statements',
      )
    }
    await client.query('CREATE EXTENSION IF NOT EXISTS pg_stat_statements')
  })
}

/** Writes a checkpoint before a measurement, so that none becomes due during it. */
export async function checkpoint(url: string): Promise<void> {
  await withClient(url, async (client) => void (await client.query('CHECKPOINT')))
}

/** Removes the counts of a database after its measurement, because the server keeps a limited number of them. */
export async function resetCounts(url: string, database: string): Promise<void> {
  await withClient(url, async (client) => {
    await client.query(
      'SELECT pg_stat_statements_reset(0, oid, 0) FROM pg_catalog.pg_database WHERE datname = $1',
      [database],
    )
  })
}

/** Measures the costs of one part of a measurement. */
export class Counters {
  readonly #client: pg.Client
  readonly #database: string
  #costs: Costs | undefined

  constructor(client: pg.Client, database: string) {
    this.#client = client
    this.#database = database
  }

  /** Runs `work` and measures its costs. */
  async measure<Result>(work: () => Promise<Result>): Promise<Result> {
    const before = await this.#read()
    const serverUsBefore = await serverProcessorUs(this.#client)
    const allocations = new Allocations()
    const usageBefore = process.cpuUsage()
    const result = await work()
    const usage = process.cpuUsage(usageBefore)
    const allocatedBytes = allocations.stop()
    const serverUs = (await serverProcessorUs(this.#client)) - serverUsBefore
    const after = await this.#read()
    this.#costs = {
      clientUs: usage.user + usage.system,
      serverUs,
      walBytes: after.walBytes - before.walBytes,
      buffers: after.buffers - before.buffers,
      allocatedBytes,
      statements: after.statements - before.statements,
    }
    return result
  }

  /** The costs of the work that `measure` ran. Throws if it has not run. */
  costs(): Costs {
    if (this.#costs === undefined) throw new Error('no costs were measured')
    return this.#costs
  }

  async #read(): Promise<ServerCosts> {
    const { rows } = await this.#client.query<ServerCosts>(
      `SELECT coalesce(sum(calls), 0)::float8 AS statements,
              coalesce(sum(shared_blks_hit + shared_blks_read), 0)::float8 AS buffers,
              pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::float8 AS "walBytes"
         FROM pg_stat_statements(false)
        WHERE dbid = (SELECT oid FROM pg_catalog.pg_database WHERE datname = $1)`,
      [this.#database],
    )
    const [row] = rows
    if (row === undefined) throw new Error('the server returned no counts')
    return row
  }
}

/** Runs `use` with the counters of the database at `url`. */
export async function withCounters<Result>(
  { countersUrl, url }: { readonly countersUrl: string; readonly url: string },
  use: (counters: Counters) => Promise<Result>,
): Promise<Result> {
  const database = decodeURIComponent(new URL(url).pathname.slice(1))
  return withClient(countersUrl, (client) => use(new Counters(client, database)))
}

async function withClient<Result>(url: string, use: (client: pg.Client) => Promise<Result>): Promise<Result> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return await use(client)
  } finally {
    await client.end()
  }
}
