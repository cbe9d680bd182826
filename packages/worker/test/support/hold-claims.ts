import { eventually, type TestDatabase } from '@queue/test-database'

/** Claims that wait in the database for as long as a test likes. */
export interface HeldClaims {
  /** Resolves when a claim is in flight. */
  waiting(): Promise<void>
  letGo(): Promise<void>
}

/** Makes every claim wait: a claim shares the rows of its queues, and this locks them. */
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
    letGo: async () => {
      await client.query('ROLLBACK')
      client.release()
    },
  }
}
