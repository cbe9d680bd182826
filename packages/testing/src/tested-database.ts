import type pg from 'pg'

/** Where the queue under test is: a `TestDatabase`, or any pool as the owner of the tables. */
export interface TestedDatabase {
  readonly pool: pg.Pool
  /** The PostgreSQL schema that holds the queue; default `queue`. */
  readonly schema?: string
}

/** The options by which the queue's own packages reach it. */
export function connectionOf({ pool, schema }: TestedDatabase): TestedDatabase {
  return schema === undefined ? { pool } : { pool, schema }
}
