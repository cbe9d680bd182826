import { type Explanation, explainUndone } from '@queue/dev-postgres'
import type pg from 'pg'
import { compiler } from '@queue/postgres'
import type { QueueDatabase } from '../../src/database/connect.ts'

interface ExplainRow {
  readonly 'QUERY PLAN': string
}

/**
 * The plans of the statements that `act` sends. They are explained and not run: each is answered with no rows, and
 * errors of `act` are ignored.
 */
export async function plansOf(
  client: pg.Client,
  database: QueueDatabase,
  act: (database: QueueDatabase) => Promise<unknown>,
): Promise<string> {
  const plans: string[] = []
  await act({
    ...database,
    run: async (statement) => {
      const { sql, parameters } = statement.compile(compiler)
      const { rows } = await client.query<ExplainRow>(`EXPLAIN ${sql}`, [...parameters])
      plans.push(rows.map((row) => row['QUERY PLAN']).join('\n'))
      return []
    },
  }).catch(() => undefined)
  return plans.join('\n\n')
}

/** How many pages of 8 KiB the statements of `act` read. They are run and rolled back. */
export function pagesTouched(client: pg.Client, database: QueueDatabase, act: Act): Promise<number> {
  return sumOverStatements(({ pages }) => pages, { client, database, act })
}

/**
 * How many rows the statements of `act` read from tables and indexes, including filtered ones. They are run and rolled
 * back.
 */
export function rowsRead(client: pg.Client, database: QueueDatabase, act: Act): Promise<number> {
  return sumOverStatements(({ plan }) => rowsIn(plan), { client, database, act })
}

type Act = (database: QueueDatabase) => Promise<unknown>

interface Measurement {
  readonly client: pg.Client
  readonly database: QueueDatabase
  readonly act: Act
}

async function sumOverStatements(
  measure: (explanation: Explanation) => number,
  { client, database, act }: Measurement,
): Promise<number> {
  let sum = 0
  await act({
    ...database,
    run: async (statement) => {
      sum += measure(await explainUndone(client, statement.compile(compiler)))
      return []
    },
  }).catch(() => undefined)
  return sum
}

function rowsIn(plan: string): number {
  const scans = plan.matchAll(
    /(?<!Bitmap )(?:Seq|Index|Index Only|Bitmap Heap) Scan [^\n]*\(actual time=\S+ rows=([\d.]+) loops=(\d+)\)([^>]*)/g,
  )
  return [...scans].reduce((sum, [, rows, loops, details = '']) => {
    const [, removed = 0] = /Rows Removed by Filter: (\d+)/.exec(details) ?? []
    return sum + (Number(rows) + Number(removed)) * Number(loops)
  }, 0)
}
