import { assertArguments, object } from '@queue/loop/arguments'
import type pg from 'pg'

/** The database of the queue under test: a `TestDatabase`, or any pool that connects as the owner of the tables. */
export interface TestedDatabase {
  readonly pool: pg.Pool
  /** The PostgreSQL schema that holds the queue; default `queue`. */
  readonly schema?: string
}

/** The connection options for the queue's own packages. */
export function connectionOf(database: TestedDatabase): TestedDatabase {
  assertArguments('testing', { database: object }, [database])
  const { pool, schema } = database
  return schema === undefined ? { pool } : { pool, schema }
}
