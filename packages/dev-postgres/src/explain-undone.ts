import type pg from 'pg'

/** What EXPLAIN says of one statement that was run and undone. */
export interface Explanation {
  readonly plan: string
  /** Pages of 8 KiB that it touched. */
  readonly pages: number
  /** Milliseconds that the server took. */
  readonly ms: number
}

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
