import { eventually, type TestDatabase } from '@queue/test-database'

/** A lock in the database, which a test holds until it releases it. */
export interface HeldLock {
  /** Resolves when this many statements wait for a lock. Default 1. */
  waiting(statements?: number): Promise<void>
  release(): Promise<void>
}

/** Makes every claim wait: it locks the rows of the queues, which a claim locks in share mode. */
export function holdClaims(database: TestDatabase): Promise<HeldLock> {
  return holdLock(database, 'SELECT FROM queue.queues FOR UPDATE')
}

/** Makes every statement wait that uses this table. */
export function holdTable(database: TestDatabase, table: string): Promise<HeldLock> {
  return holdLock(database, `LOCK TABLE queue.${table} IN ACCESS EXCLUSIVE MODE`)
}

async function holdLock(database: TestDatabase, statement: string): Promise<HeldLock> {
  const client = await database.pool.connect()
  await client.query('BEGIN')
  await client.query(statement)
  return {
    waiting: async (statements = 1) => {
      await eventually(async () => {
        const { rows } = await database.pool.query(
          // The commit of a notification waits for those of all databases: a lock on an object.
          `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'
              AND wait_event <> 'object'`,
        )
        return rows.length >= statements
      })
    },
    release: async () => {
      await client.query('ROLLBACK')
      client.release()
    },
  }
}
