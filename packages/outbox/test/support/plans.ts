import { compiler } from '@queue/postgres'
import { type Explanation, explainUndone } from '@queue/test-database'
import type pg from 'pg'
import type { OutboxDatabase } from '../../src/database/outbox-database.ts'

const runs = 15

/**
 * Runs each statement of `act` several times under EXPLAIN ANALYZE, in transactions that are rolled back. Resolves with the plans
 * and pages, and the sum of the fastest durations in milliseconds. `act` gets no rows.
 */
export async function explain(
  client: pg.ClientBase,
  database: OutboxDatabase,
  act: (database: OutboxDatabase) => Promise<unknown>,
): Promise<Explanation> {
  const plans: string[] = []
  let pages = 0
  let ms = 0
  await act({
    ...database,
    run: async (statement) => {
      const compiled = statement.compile(compiler)
      const explained: Explanation[] = []
      for (let run = 0; run < runs; run += 1) explained.push(await explainUndone(client, compiled))
      plans.push(explained.at(-1)?.plan ?? '')
      pages += explained.at(-1)?.pages ?? 0
      ms += Math.min(...explained.map((one) => one.ms))
      return []
    },
  }).catch(() => undefined)
  return { plan: plans.join('\n\n'), pages, ms }
}
