import type pg from 'pg'

/** What node-postgres reads at run time and its types leave out: a bound on one query's wait, in milliseconds. */
export interface TimedQuery extends pg.QueryConfig {
  readonly query_timeout: number
}
