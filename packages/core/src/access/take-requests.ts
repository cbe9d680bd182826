// A process takes requests out of the bucket that all processes share.
import { sql } from 'kysely'
import type { QueueDatabase } from '../database/connect.ts'
import type { Rate } from './rate.ts'

export interface TakenRequests {
  /** How many may be served; at most as many as were wanted. */
  readonly granted: number
  /** How many are left in the bucket. */
  readonly left: number
}

/**
 * Returns what is left of an earlier grant, and takes up to `wanted` requests of a key. The bucket fills by the clock of
 * the database, up to the burst. Calls for one key follow each other: none is granted what another one was. After a lost
 * answer, what it granted is lost.
 */
export async function takeRequests(
  database: QueueDatabase,
  keyId: string,
  { rate, wanted, returned }: { readonly rate: Rate; readonly wanted: number; readonly returned: number },
): Promise<TakenRequests> {
  const burst = sql`${rate.burst}::float8`
  const perSecond = sql`${rate.count / rate.perSeconds}::float8`
  // Without a step back in time, whichever call has waited for whichever.
  const elapsed = sql`greatest(0, date_part('epoch', now() - b.filled_at))`
  const level = sql`least(${burst}, b.tokens + ${returned}::float8 + ${elapsed} * ${perSecond})`
  const grant = (of: typeof level) => sql`greatest(0, least(${wanted}::float8, floor(${of})))`
  const [row] = await database.run(sql<{ granted: number; tokens: number }>`
    INSERT INTO ${sql.id(database.schema, 'api_key_buckets')} AS b (key_id, tokens, granted)
    VALUES (${keyId}, ${burst} - ${grant(burst)}, ${grant(burst)})
    ON CONFLICT (key_id) DO UPDATE
      SET tokens = ${level} - ${grant(level)}, granted = ${grant(level)}, filled_at = greatest(b.filled_at, now())
    RETURNING b.granted, b.tokens`)
  return { granted: row?.granted ?? 0, left: row?.tokens ?? 0 }
}
