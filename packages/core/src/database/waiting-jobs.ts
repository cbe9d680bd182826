import { type RawBuilder, sql } from 'kysely'

/**
 * A select of jobs that wait, of those without a key and of those with one: each sort has an index of its own, and the claim
 * reads that of the first alone. `select` is given the condition on the row named `alias`.
 */
export function ofBothIndexes(
  alias: string,
  select: (ofIndex: RawBuilder<unknown>) => RawBuilder<unknown>,
): RawBuilder<unknown> {
  const key = sql.ref(`${alias}.key`)
  return sql`(${select(sql`${key} IS NULL`)}) UNION ALL (${select(sql`coalesce(${key}, '') <> ''`)})`
}
