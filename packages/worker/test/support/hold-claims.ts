import { eventually, type TestDatabase } from '@queue/test-database'

/** Claims that wait in the database until a test releases them. */
export interface HeldClaims {
  /** Resolves when a claim is in flight. */
  waiting(): Promise<void>
  release(): Promise<void>
}

/** Makes every claim wait: it locks the rows of the queues, which a claim locks in share mode. */
export async function holdClaims(database: TestDatabase): Promise<HeldClaims> {
  const client = await database.pool.connect()
  await client.query('BEGIN')
  await client.query('SELECT FROM queue.queues FOR UPDATE')
  return {
    waiting: async () => {
      await eventually(async () => {
        const { rows } = await database.pool.query(
          `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
        )
        return rows.length > 0
      })
    },
    release: async () => {
      await client.query('ROLLBACK')
      client.release()
    },
  }
}
