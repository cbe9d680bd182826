import type pg from 'pg'

/**
 * Runs a statement, handed to the connection before this returns. Rejects with what PostgreSQL says, or when there is no
 * answer within `timeoutMs`: the connection is of no use then, because a half-open peer would never answer.
 *
 * node-postgres has promises and a time limit of its own. For both it puts new functions into fields of its query, which
 * V8 allocates among its old objects: each would keep a statement, its rows and its promise until the next collection of
 * everything (docs/decisions/0041).
 */
export async function queryWithin<Row extends pg.QueryResultRow>(
  client: pg.ClientBase,
  query: pg.QueryConfig,
  timeoutMs: number,
): Promise<pg.QueryResult<Row>> {
  try {
    return await new Promise((resolve, reject) => {
      // oxlint-disable-next-line eslint/no-restricted-globals -- it bounds a wait for the network and decides nothing else.
      const timer = setTimeout(() => reject(new Error('Query read timeout')), timeoutMs)
      client.query<Row>(query, (error: Error | null | undefined, result) => {
        clearTimeout(timer)
        if (error === null || error === undefined) resolve(result)
        else reject(error)
      })
    })
  } catch (error) {
    // The stack that leads to the socket's reader says nothing to whoever has sent the statement.
    if (error instanceof Error) Error.captureStackTrace(error)
    throw error
  }
}
