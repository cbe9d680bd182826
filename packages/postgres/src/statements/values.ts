// How values go to PostgreSQL, and how they come back.
import { type Expression, type RawBuilder, sql } from 'kysely'
import pg from 'pg'

/**
 * An array of elements that need no quotes, ids and numbers, also infinite ones, as the text that PostgreSQL reads.
 * node-postgres searches each element for characters to quote, which took a sixth of Node's time for an insert of a
 * thousand jobs (docs/decisions/0024).
 */
export function plainArray(elements: readonly (string | number)[]): string {
  return `{${elements.join(',')}}`
}

/**
 * An array of names, or of texts that `JSON.stringify` has made. Such a text has neither control characters nor lone
 * surrogates, and everything else JSON quotes as an array does: with a backslash before quotes and backslashes.
 */
export function jsonTextArray(texts: readonly string[]): string {
  return `{${JSON.stringify(texts).slice(1, -1)}}`
}

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

type Parser = (text: string) => unknown

/** The parsers of the PostgreSQL types that we do not read as text, by their fixed object ids. */
const parsers = new Map<number, Parser>([
  [16, (text) => text === 't'],
  [20, Number],
  [21, Number],
  [23, Number],
  [701, Number],
])

type TypeId = Parameters<typeof pg.types.getTypeParser>[0]

/**
 * The parsers for our results. A service may have replaced the parsers of its pool, which must not change how this package
 * reads its results. All other types that we return are text, or arrays of it. Binary values come in a caller's
 * transaction only, where statements return text and booleans.
 */
export const ownTypes: pg.CustomTypesConfig = {
  getTypeParser: (oid: TypeId, format?: 'text' | 'binary') =>
    format === 'binary'
      ? pg.types.getTypeParser(oid, format)
      : (parsers.get(oid) ?? pg.types.getTypeParser(oid)),
}
