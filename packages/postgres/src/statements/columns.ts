import { type Expression, type RawBuilder, sql } from 'kysely'

/**
 * A number as it comes through a caller's own transaction, whose type parsers we do not choose. Statements that run there
 * return it as text (`asText`).
 */
export type Numeric = number | bigint | string

/**
 * The column as text, for statements that run in a caller's transaction. On a connection with binary results node-postgres
 * reads only text correctly: it decodes every value as UTF-8 before any parser sees it.
 */
export function asText<Value>(column: Expression<Value>): RawBuilder<OrNull<Value, string>> {
  return sql`${column}::text`
}

/** An instant as milliseconds since 1970. `extract` would compute in numeric, several times slower than float8. */
export function epochMs<Value>(column: Expression<Value>): RawBuilder<OrNull<Value, number>> {
  return sql`(date_part('epoch', ${column}) * 1000)`
}

/** `Result`, or null where the column may be null. A column of a template, whose type is not known, counts as not null. */
type OrNull<Value, Result> = unknown extends Value ? Result : null extends Value ? Result | null : Result
