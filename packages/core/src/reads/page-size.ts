import { type RawBuilder, sql } from 'kysely'
import { listPageBytesMax } from '../domain/limits.ts'

/** How many rows the table `page` has, those included for which a page of its size has no room. */
export const pageRows = sql<number>`(SELECT count(*)::int FROM page)`

export interface PageOrder {
  /** What of a row may be large. */
  readonly documents: readonly RawBuilder<unknown>[]
  readonly order: RawBuilder<unknown>
}

/**
 * The rows of the table `page`, in its order, as far as those before them have come to `listPageBytesMax`: at least one,
 * if there is any. Documents count as the text that is sent, since what is stored may be a hundredth of that.
 */
export function withinPageSize({ documents, order }: PageOrder): RawBuilder<unknown> {
  const bytes = documents.map((document) => sql`coalesce(octet_length(${document}::text), 0)`)
  return sql`(
    SELECT sized.* FROM (
      SELECT page.*, sum(${sql.join(bytes, sql` + `)}) OVER (
               ORDER BY ${order} ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS bytes_before
        FROM page
    ) AS sized WHERE coalesce(sized.bytes_before, 0) < ${sql.lit(listPageBytesMax)}
  )`
}
