import { type RawBuilder, sql } from 'kysely'

/**
 * A select of waiting jobs, with a key and without one, which are in two indexes: the claim reads only the index of the
 * jobs without a key. `select` receives the condition on the row named `alias`.
 */
export function fromBothWaitingIndexes(
  alias: string,
  select: (ofIndex: RawBuilder<unknown>) => RawBuilder<unknown>,
): RawBuilder<unknown> {
  const key = sql.ref(`${alias}.key`)
  return sql`(${select(sql`${key} IS NULL`)}) UNION ALL (${select(sql`coalesce(${key}, '') <> ''`)})`
}
