import { sql } from 'kysely'
import type { QueueDatabase } from '../database/connect.ts'

/** How many of the newest dead letters are counted. Older ones are not. */
export const deadLettersCountedMax = 1_000
/** How long a dead letter counts as recent. */
const recentSeconds = 900

/** The dead letters of one kind. */
export interface DeadLetterDepth {
  readonly kind: string
  readonly deadLetters: number
  /** The dead letters of the last 15 minutes. */
  readonly recent: number
}

/**
 * The number of dead letters by kind, counted among the newest `deadLettersCountedMax`, so that the cost does not grow
 * with their number.
 */
export async function deadLetterDepth(database: QueueDatabase): Promise<DeadLetterDepth[]> {
  const newest = database.names.db
    .selectFrom('dead_letter_jobs as d')
    .select(['d.kind', 'd.dead_lettered_at'])
    .orderBy('d.dead_lettered_at', 'desc')
    .orderBy('d.id', 'desc')
    .limit(sql.lit(deadLettersCountedMax))
  const isRecent = sql`newest.dead_lettered_at > now() - ${sql.lit(recentSeconds)} * interval '1 second'`
  return database.run(
    database.names.db
      .selectFrom(newest.as('newest'))
      .select([
        'newest.kind',
        sql<number>`count(*)::int`.as('deadLetters'),
        sql<number>`(count(*) FILTER (WHERE ${isRecent}))::int`.as('recent'),
      ])
      .groupBy('newest.kind')
      .orderBy('newest.kind'),
  )
}
