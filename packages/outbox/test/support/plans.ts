import { DummyDriver, Kysely, PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler } from 'kysely'
import type pg from 'pg'
import type { OutboxDatabase } from '../../src/database/outbox-database.ts'

const compiler = new Kysely<Record<string, never>>({
  dialect: {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  },
})

/** What EXPLAIN says of the statements that an act sends. */
export interface Explained {
  readonly plan: string
  /** Pages of 8 KiB that they touched. */
  readonly pages: number
  /** Milliseconds that the server took, the minimum of several runs. */
  readonly ms: number
}

const runs = 15

/** Runs each statement of `act` some times under EXPLAIN ANALYZE, and undoes it. `act` sees no rows. */
export async function explain(
  client: pg.ClientBase,
  database: OutboxDatabase,
  act: (database: OutboxDatabase) => Promise<unknown>,
): Promise<Explained> {
  const plans: string[] = []
  let pages = 0
  let ms = 0
  await act({
    ...database,
    run: async (statement) => {
      const { sql, parameters } = statement.compile(compiler)
      let fastest = Number.POSITIVE_INFINITY
      let text = ''
      for (let run = 0; run < runs; run += 1) {
        await client.query('BEGIN')
        const { rows } = await client.query<{ 'QUERY PLAN': string }>(`EXPLAIN (ANALYZE, BUFFERS) ${sql}`, [
          ...parameters,
        ])
        await client.query('ROLLBACK')
        text = rows.map((row) => row['QUERY PLAN']).join('\n')
        fastest = Math.min(fastest, Number(/Execution Time: ([\d.]+)/.exec(text)?.[1]))
      }
      const [, hit = '0', read = '0'] = /Buffers: shared(?: hit=(\d+))?(?: read=(\d+))?/.exec(text) ?? []
      plans.push(text)
      pages += Number(hit) + Number(read)
      ms += fastest
      return []
    },
  }).catch(() => undefined)
  return { plan: plans.join('\n\n'), pages, ms }
}
