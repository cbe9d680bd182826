import { type PairsFigures, type PairsOptions, runPairs } from './drain-pairs.ts'

const linesPerSecond = 1_000

/** A drain by handlers of 5 ms, alone and while they log a thousand lines a second. */
export function runLogs(options: PairsOptions): Promise<PairsFigures> {
  return runPairs(options, {
    name: 'logs',
    handlerMs: 5,
    order: { linesPerSecond },
    end: async ({ database }) => {
      const { rows } = await database.pool.query<{ lines: number }>(
        `WITH gone AS (DELETE FROM queue.job_logs RETURNING message)
         SELECT count(*) FILTER (WHERE message LIKE 'measured%')::int AS lines FROM gone`,
      )
      return rows[0]?.lines ?? 0
    },
  })
}
