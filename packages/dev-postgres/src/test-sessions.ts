import type pg from 'pg'
import { connectClient } from './sessions.ts'

/** Runs plain SQL, to write what no operation of the queue writes and to read the tables directly. */
export type PlainSql = <Row = Record<string, unknown>>(
  text: string,
  values?: readonly unknown[],
) => Promise<Row[]>

export function plainSqlOn(pool: pg.Pool): PlainSql {
  return async <Row>(text: string, values: readonly unknown[] = []): Promise<Row[]> => {
    const { rows } = await pool.query(text, [...values])
    return rows as Row[]
  }
}

/** Sessions of a test, for transactions that are held open. */
export interface TestSessions {
  open(): Promise<pg.Client>
  endAll(): Promise<void>
}

export function createTestSessions(url: string): TestSessions {
  const sessions: pg.Client[] = []
  return {
    open: async () => {
      const client = await connectClient(url)
      // These sessions stand for statements of the queue, which use this isolation whatever the database's default is.
      await client.query("SET default_transaction_isolation = 'read committed'")
      sessions.push(client)
      return client
    },
    endAll: async () => {
      await Promise.all(sessions.splice(0).map((client) => client.end()))
    },
  }
}
