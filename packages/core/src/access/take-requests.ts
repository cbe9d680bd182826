// Takes requests for one process from the bucket that all processes share.
import { sql } from 'kysely'
import type { QueueDatabase } from '../database/connect.ts'
import type { Rate } from './rate.ts'

export interface TakenRequests {
  /** How many requests may be served, at most `wanted`. */
  readonly granted: number
  /** How many tokens are left in the bucket. */
  readonly left: number
}

/**
 * Returns the unused part of an earlier grant, and takes up to `wanted` requests of a key. The bucket fills by the
 * database's clock, up to the burst. Calls for one key run one after the other, so that no request is granted twice.
 * After a lost answer, its grant is lost.
 */
export async function takeRequests(
  database: QueueDatabase,
  keyId: string,
  { rate, wanted, returned }: { readonly rate: Rate; readonly wanted: number; readonly returned: number },
): Promise<TakenRequests> {
  const burst = sql`${rate.burst}::float8`
  const perSecond = sql`${rate.count / rate.perSeconds}::float8`
  // Never negative, whichever call has waited for the other.
  const elapsed = sql`greatest(0, date_part('epoch', now() - b.filled_at))`
  const level = sql`least(${burst}, b.tokens + ${returned}::float8 + ${elapsed} * ${perSecond})`
  const grant = (tokens: typeof level) => sql`greatest(0, least(${wanted}::float8, floor(${tokens})))`
  const [row] = await database.run(sql<{ granted: number; tokens: number }>`
    INSERT INTO ${sql.id(database.schema, 'api_key_buckets')} AS b (key_id, tokens, granted)
    VALUES (${keyId}, ${burst} - ${grant(burst)}, ${grant(burst)})
    ON CONFLICT (key_id) DO UPDATE
      SET tokens = ${level} - ${grant(level)}, granted = ${grant(level)}, filled_at = greatest(b.filled_at, now())
    RETURNING b.granted, b.tokens::numeric AS tokens`)
  return { granted: row?.granted ?? 0, left: row?.tokens ?? 0 }
}
