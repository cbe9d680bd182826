// The encoding of values for PostgreSQL, and the parsing of its results.
import { type Expression, type RawBuilder, sql } from 'kysely'
import pg from 'pg'
import { parse as parseArray } from 'postgres-array'

/**
 * An array literal of elements that need no quotes: ids and numbers, including infinite ones. node-postgres would search each
 * element for characters to quote, which took a sixth of Node's time for an insert of a thousand jobs (docs/decisions/0024).
 */
export function plainArray(elements: readonly (string | number)[]): string {
  return `{${elements.join(',')}}`
}

/**
 * An array literal of names, or of texts made by `JSON.stringify`. Such a text has neither control characters nor lone
 * surrogates, and JSON quotes everything else as an array literal does: with a backslash before quotes and backslashes.
 */
export function jsonTextArray(texts: readonly string[]): string {
  return `{${JSON.stringify(texts).slice(1, -1)}}`
}

/**
 * A number in a result from a caller's own transaction, whose type parsers we do not choose. Statements that run there return
 * numbers as text (`asText`).
 */
export type Numeric = number | bigint | string

/**
 * The column as text, for statements that run in a caller's transaction. On a connection with binary results node-postgres reads
 * only text correctly, because it decodes every value as UTF-8 before a parser sees it.
 */
export function asText<Value>(column: Expression<Value>): RawBuilder<OrNull<Value, string>> {
  return sql`${column}::text`
}

/** An instant as milliseconds since 1970. `extract` would compute in `numeric`, which is several times slower than float8. */
export function epochMs<Value>(column: Expression<Value>): RawBuilder<OrNull<Value, number>> {
  return sql`(date_part('epoch', ${column}) * 1000)`
}

/** `Result`, or null if the column may be null. A column of a template, whose type is unknown, counts as not null. */
type OrNull<Value, Result> = unknown extends Value ? Result : null extends Value ? Result | null : Result

type Parser = (text: string) => unknown

const parseTexts: Parser = (text) => parseArray(text)

/** The parsers of the PostgreSQL types that we do not read as text, by their fixed object ids. */
const parsers = new Map<number, Parser>([
  [16, (text) => text === 't'],
  // bytea, in the format `hex`, which is PostgreSQL's default and that of our own sessions.
  [17, (text) => Buffer.from(text.slice(2), 'hex')],
  [20, Number],
  [21, Number],
  [23, Number],
  [701, Number],
  // text[] and uuid[]
  [1_009, parseTexts],
  [2_951, parseTexts],
])

type TypeId = Parameters<typeof pg.types.getTypeParser>[0]

/**
 * The parsers for our results. A service may have replaced the parsers of its pool, or those of its whole process, and that must
 * not change how this package reads its results: none of them is asked. All other types that we return are read as text. Binary
 * values come only in a caller's transaction, where statements return text and booleans.
 */
export const ownTypes: pg.CustomTypesConfig = {
  getTypeParser: (oid: TypeId, format?: 'text' | 'binary') =>
    format === 'binary' ? pg.types.getTypeParser(oid, format) : (parsers.get(oid) ?? String),
}
