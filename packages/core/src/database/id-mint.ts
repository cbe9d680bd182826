import { sql } from 'kysely'
import {
  asText,
  createDatabaseClock,
  type DatabaseClock,
  epochMs,
  type Numeric,
  type Session,
} from '@queue/postgres'
import { createJobIdGenerator } from '../domain/job-id.ts'

/**
 * Returns `count` UUIDv7 that strictly increase within this process, by the database's clock. The clock is read through
 * `session` where the last reading is too old.
 */
export type MintIds = (session: Session, count: number) => Promise<string[]>

/** Creates a `MintIds`. Other code may read and share the same `clock`. */
export function createIdMint(clock: DatabaseClock = createDatabaseClock()): MintIds {
  let nowMs = 0
  const mint = createJobIdGenerator({ databaseNowMs: () => nowMs })
  return async (session, count) => {
    if (clock.isStale()) clock.observe(await readDatabaseNow(session))
    // One reading for all of them: the generator makes them differ.
    nowMs = measuredNowMs(clock)
    return Array.from({ length: count }, mint)
  }
}

function measuredNowMs(clock: DatabaseClock): number {
  const now = clock.nowMs()
  if (now === undefined) throw new Error('an id was minted before the database clock was read')
  return now
}

/** The database's clock, in milliseconds since 1970. */
export async function readDatabaseNow(session: Session): Promise<number> {
  const [row] = await session.run(
    sql<{ now_ms: Numeric }>`SELECT ${asText(epochMs(sql`clock_timestamp()`))} AS now_ms`,
  )
  if (row === undefined) throw new Error('the database returned no time')
  return Number(row.now_ms)
}
