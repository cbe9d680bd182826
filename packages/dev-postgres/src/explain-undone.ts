import type pg from 'pg'

/** The EXPLAIN output of a statement that was run and rolled back. */
export interface Explanation {
  readonly plan: string
  /** How many pages of 8 KiB it touched. */
  readonly pages: number
  /** The execution time on the server, in milliseconds. */
  readonly ms: number
}

/** Runs a statement with EXPLAIN ANALYZE in a transaction that is rolled back. */
export async function explainUndone(
  client: pg.ClientBase,
  { sql, parameters }: { readonly sql: string; readonly parameters: readonly unknown[] },
): Promise<Explanation> {
  await client.query('BEGIN')
  const { rows } = await client.query<{ 'QUERY PLAN': string }>(`EXPLAIN (ANALYZE, BUFFERS) ${sql}`, [
    ...parameters,
  ])
  await client.query('ROLLBACK')
  const plan = rows.map((row) => row['QUERY PLAN']).join('\n')
  const [, hit = '0', read = '0'] = /Buffers: shared(?: hit=(\d+))?(?: read=(\d+))?/.exec(plan) ?? []
  return {
    plan,
    pages: Number(hit) + Number(read),
    ms: Number(/Execution Time: ([\d.]+)/.exec(plan)?.[1]),
  }
}
