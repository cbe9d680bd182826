import { type RawBuilder, sql } from 'kysely'
import { listPageBytesMax } from '../domain/limits.ts'

/** The number of rows in the table `page`, including rows that do not fit into the page's size. */
export const pageRows = sql<number>`(SELECT count(*)::int FROM page)`

export interface PageOrder {
  /** The columns whose values may be large. */
  readonly documents: readonly RawBuilder<unknown>[]
  readonly order: RawBuilder<unknown>
}

/**
 * The first rows of the table `page`, in its order: a row is included while the rows before it come to less than
 * `listPageBytesMax`, so at least one is. Documents count with the size of their text, because their stored size may be
 * a hundredth of that.
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
