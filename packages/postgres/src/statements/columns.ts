import { type RawBuilder, sql } from 'kysely'

/**
 * A number as it comes through a caller's own transaction, whose type parsers are not ours to choose. Statements that run
 * there give it as text (`asText`).
 */
export type Numeric = number | bigint | string

/**
 * The column as text, for statements that run in a caller's transaction. Text is all that node-postgres reads rightly of a
 * connection with binary results: it takes every value for UTF-8 before any parser sees it.
 */
export function asText(column: RawBuilder<unknown>): RawBuilder<string> {
  return sql<string>`${column}::text`
}

/** An instant as milliseconds since 1970. `extract` would compute in numeric, several times slower than float8. */
export function epochMs(column: RawBuilder<unknown>): RawBuilder<number> {
  return sql<number>`(date_part('epoch', ${column}) * 1000)`
}
