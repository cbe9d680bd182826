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
 * What stands for null in an array parameter: a session with `array_nulls = off` reads a NULL in an array as a text. The statement
 * turns it back by `orNull`, so it must be no value of the column. An empty array needs nothing: `unnest` fills it up with nulls.
 */
export const nulls = {
  text: '',
  /** Of a float8. */
  number: 'NaN',
  /** Of an integer that is at least 1. */
  count: '0',
  uuid: '00000000-0000-0000-0000-000000000000',
} as const

/** The element of an array in which a member of `nulls` stands for null. */
export function orNull(element: RawBuilder<unknown>, type: keyof typeof nulls): RawBuilder<unknown> {
  return sql`nullif(${element}, ${sql.lit(nulls[type])})`
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

/**
 * An instant as whole milliseconds since 1970, or an interval as whole milliseconds. A float8 would be written with fewer digits
 * where a session has set `extra_float_digits`, and takes several times as long to write and to read as a bigint. `extract` would
 * compute in `numeric`, which is several times slower too.
 */
export function epochMs<Value>(column: Expression<Value>): RawBuilder<OrNull<Value, number>> {
  // By way of microseconds, in which PostgreSQL keeps instants: 1.001 s times 1000 is a little less than 1001 in a float8.
  return sql`(${epochUs(column)} / 1000)`
}

/** An instant as microseconds since 1970, the precision of PostgreSQL. */
export function epochUs<Value>(column: Expression<Value>): RawBuilder<OrNull<Value, number>> {
  return sql`round(date_part('epoch', ${column}) * 1000000::float8)::bigint`
}

/** `Result`, or null if the column may be null. A column of a template, whose type is unknown, counts as not null. */
type OrNull<Value, Result> = unknown extends Value ? Result : null extends Value ? Result | null : Result

type Parser = (text: string) => unknown

const parseTexts: Parser = (text) => parseArray(text)

/** The parsers of the PostgreSQL types that we do not read as text, by their fixed object ids. */
const parsers = new Map<number, Parser>([
  [16, (text) => text === 't'],
  [20, Number],
  [21, Number],
  [23, Number],
  [1_700, Number],
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
