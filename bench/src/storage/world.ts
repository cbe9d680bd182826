import { createQueue, migrateUp, type Queue } from '@queue/core'
import { connect, type ConnectedDatabase } from '@queue/core/internal'
import { createTestDatabases, type TestDatabases } from '@queue/dev-postgres'
import pg from 'pg'
import { type Claimer, createClaimer } from '../claimer.ts'
import { checkpoint, type Counters, resetCounts, withCounters } from '../compare/costs.ts'
import { storedJob } from './job-sorts.ts'

/** A new database for one measurement, with one connection that enqueues, claims and finishes. */
export interface World {
  readonly pool: pg.Pool
  readonly database: ConnectedDatabase
  readonly queue: Queue
  readonly claimer: Claimer
  readonly counters: Counters
}

export function createWorlds(serverUrl: string): TestDatabases {
  return createTestDatabases({
    serverUrl,
    templateKey: `storage ${process.pid}`,
    prepareTemplate: async (connectionString) => void (await migrateUp({ connectionString })),
  })
}

/** Runs `use` in a new world, right after a checkpoint, and removes the world. */
export async function inWorld<Result>(
  worlds: TestDatabases,
  serverUrl: string,
  use: (world: World) => Promise<Result>,
): Promise<Result> {
  const { url, name, drop } = await worlds.create()
  const pool = new pg.Pool({ connectionString: url, max: 1 })
  try {
    const database = connect({ pool, queryTimeoutMs: 300_000 })
    const queue = createQueue({ pool })
    const claimer = await createClaimer(database, { workerId: 'bench', kind: storedJob.kind })
    await checkpoint(serverUrl)
    return await withCounters({ countersUrl: serverUrl, url }, (counters) =>
      use({ pool, database, queue, claimer, counters }),
    )
  } finally {
    await pool.end()
    await resetCounts(serverUrl, name)
    await drop()
  }
}
