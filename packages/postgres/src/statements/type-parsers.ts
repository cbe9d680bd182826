import pg from 'pg'

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
