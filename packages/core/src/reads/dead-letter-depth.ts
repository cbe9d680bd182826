import { sql } from 'kysely'
import type { QueueDatabase } from '../database/connect.ts'

/** How many of the newest dead letters are counted; more are not told apart from so many. */
export const deadLettersCountedMax = 1_000
/** A dead letter counts as recent for so long. */
const recentSeconds = 900

/** The dead letters of one kind. */
export interface DeadLetterDepth {
  readonly kind: string
  readonly deadLetters: number
  /** Those of the last 15 minutes. */
  readonly recent: number
}

/** What lies in the dead letters, by kind: of the newest `deadLettersCountedMax`, so that it costs the same beside any number. */
export async function deadLetterDepth(database: QueueDatabase): Promise<DeadLetterDepth[]> {
  const { names } = database
  return database.run(sql<DeadLetterDepth>`
    SELECT newest.kind, count(*)::int AS "deadLetters",
           (count(*) FILTER (WHERE newest.dead_lettered_at > now() - ${recentSeconds}::float8 * interval '1 second'))::int
             AS recent
      FROM (SELECT d.kind, d.dead_lettered_at FROM ${names.deadLetters} AS d
             ORDER BY d.dead_lettered_at DESC, d.id DESC LIMIT ${deadLettersCountedMax}::int) AS newest
     GROUP BY newest.kind ORDER BY newest.kind`)
}
