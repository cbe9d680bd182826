import { type RawBuilder, sql } from 'kysely'
import type { QueueDatabase } from '../database/connect.ts'

/** How many of the newest dead letters are counted, and in how many of the oldest the oldest one of a kind is looked for. */
export const deadLettersReadMax = 1_000
/** How long a dead letter counts as recent. */
const recentSeconds = 900

/** The dead letters of one kind. */
export interface DeadLetterDepth {
  readonly kind: string
  /** Of the newest `deadLettersReadMax` dead letters of all kinds, how many are of this kind. */
  readonly deadLetters: number
  /** Those of them of the last 15 minutes. */
  readonly recent: number
  /** The age of the oldest one; null where it is not among the oldest `deadLettersReadMax` of all kinds. */
  readonly oldestSeconds: number | null
}

/**
 * The dead letters by kind. Only the newest and the oldest are read, so that the cost does not grow with their number
 * (docs/decisions/0156). A kind of which only dead letters between these exist is missing.
 */
export function deadLetterDepth({ names, run }: QueueDatabase): Promise<DeadLetterDepth[]> {
  const from = (end: 'newest' | 'oldest', order: RawBuilder<unknown>) => sql`
      (SELECT ${sql.lit(end)} AS part, d.kind, d.dead_lettered_at AS at FROM ${names.deadLetters} AS d
        ORDER BY ${order} LIMIT ${sql.lit(deadLettersReadMax)})`
  return run(sql<DeadLetterDepth>`
    SELECT r.kind, (count(*) FILTER (WHERE r.part = 'newest'))::integer AS "deadLetters",
           (count(*) FILTER (WHERE r.part = 'newest' AND r.at > now() - ${sql.lit(recentSeconds)}::float8 * interval '1 second'))::integer AS recent,
           floor(date_part('epoch', now() - min(r.at) FILTER (WHERE r.part = 'oldest')))::bigint AS "oldestSeconds"
      FROM (${from('newest', sql`d.dead_lettered_at DESC, d.id DESC`)}
            UNION ALL${from('oldest', sql`d.dead_lettered_at, d.id`)}) AS r
     GROUP BY r.kind ORDER BY r.kind`)
}
