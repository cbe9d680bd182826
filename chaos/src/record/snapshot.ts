import type { TestDatabase } from '@queue/testing'

/** Which transactions had committed at a moment. */
export interface Snapshot {
  /** Whether this transaction had committed. It must have committed by now. */
  sees(xid: number): boolean
}

/** A snapshot and the database's clock, in milliseconds since 1970 with their fraction. */
export interface Moment {
  readonly snapshot: Snapshot
  readonly ms: number
}

/** Reads the text of a `pg_snapshot`: the lowest transaction under way, the first one after all, and those under way. */
export function parseSnapshot(text: string): Snapshot {
  const [lowest = '', next = '', underWay = ''] = text.split(':')
  const running = new Set(underWay.split(',').map(Number))
  return { sees: (xid) => xid < Number(lowest) || (xid < Number(next) && !running.has(xid)) }
}

/** The present moment. */
export async function readMoment({ pool }: Pick<TestDatabase, 'pool'>): Promise<Moment> {
  const { rows } = await pool.query<{ text: string; ms: number }>(
    `SELECT pg_current_snapshot()::text AS text, (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS ms`,
  )
  return { snapshot: parseSnapshot(rows[0]?.text ?? ''), ms: rows[0]?.ms ?? Number.NaN }
}
