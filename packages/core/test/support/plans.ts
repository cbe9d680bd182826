import { explainUndone } from '@queue/dev-postgres'
import type pg from 'pg'
import { compiler } from '@queue/postgres'
import type { QueueDatabase } from '../../src/database/connect.ts'

interface ExplainRow {
  readonly 'QUERY PLAN': string
}

/**
 * The plans of the statements that `act` sends, which are explained and not run: each answers that there is no row,
 * and what `act` makes of that does not matter.
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

/** How many pages of 8 KiB the statements of `act` touch. They are run, and undone. */
export async function pagesTouched(
  client: pg.Client,
  database: QueueDatabase,
  act: (database: QueueDatabase) => Promise<unknown>,
): Promise<number> {
  let pages = 0
  await act({
    ...database,
    run: async (statement) => {
      pages += (await explainUndone(client, statement.compile(compiler))).pages
      return []
    },
  }).catch(() => undefined)
  return pages
}
