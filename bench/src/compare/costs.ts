import pg from 'pg'

/** What the measured part of a run took. */
export interface Costs {
  /** Statements that were executed, BEGIN and COMMIT among them. */
  readonly statements: number
  /** Bytes of WAL, commit records included. */
  readonly walBytes: number
  /** 8 KiB pages that executing the statements touched, in memory or not; what planning read is not counted. */
  readonly buffers: number
  /** Microseconds of processor that the measured process took, all its threads together. */
  readonly processorUs: number
}

/** What the server counts. */
type ServerCosts = Omit<Costs, 'processorUs'>

export const costNames = [
  'statements',
  'walBytes',
  'buffers',
  'processorUs',
] as const satisfies (keyof Costs)[]

/** Makes the server of `url` ready to be asked for its counts. Throws when it was not started with what counts them. */
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

/** Before a measurement: what came before is on disk, and no checkpoint falls due while it runs. */
export async function checkpoint(url: string): Promise<void> {
  await withClient(url, async (client) => void (await client.query('CHECKPOINT')))
}

/** After a measurement: the counts of its database are gone, because the server keeps a bounded number of them. */
export async function forgetCounts(url: string, database: string): Promise<void> {
  await withClient(url, async (client) => {
    await client.query(
      'SELECT pg_stat_statements_reset(0, oid, 0) FROM pg_catalog.pg_database WHERE datname = $1',
      [database],
    )
  })
}

/** The counters around one part of a measurement. */
export class Counters {
  readonly #client: pg.Client
  readonly #database: string
  #measured: Costs | undefined

  constructor(client: pg.Client, database: string) {
    this.#client = client
    this.#database = database
  }

  async around<Result>(measured: () => Promise<Result>): Promise<Result> {
    const before = await this.#read()
    const usageBefore = process.cpuUsage()
    const result = await measured()
    const usage = process.cpuUsage(usageBefore)
    const after = await this.#read()
    this.#measured = {
      statements: after.statements - before.statements,
      walBytes: after.walBytes - before.walBytes,
      buffers: after.buffers - before.buffers,
      processorUs: usage.user + usage.system,
    }
    return result
  }

  /** What `around` has counted. */
  measured(): Costs {
    if (this.#measured === undefined) throw new Error('nothing was counted')
    return this.#measured
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
    if (row === undefined) throw new Error('the server gave no counts')
    return row
  }
}

/** Gives `use` the counters of the database at `url`. */
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
