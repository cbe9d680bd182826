import { type PairsFigures, type PairsOptions, runPairs } from './drain-pairs.ts'
import { databaseOf } from '@queue/core/internal'

const linesPerSecond = 1_000

/** Measures a drain with handlers of 5 ms, without logs and with a thousand logged lines a second. */
export function runLogs(options: PairsOptions): Promise<PairsFigures> {
  return runPairs(options, {
    name: 'logs',
    handlerMs: 5,
    workerConfig: { linesPerSecond },
    end: async (queue) => {
      const { rows } = await databaseOf(queue).pool.query<{ lines: number }>(
        `WITH gone AS (DELETE FROM queue.job_logs RETURNING message)
         SELECT count(*) FILTER (WHERE message LIKE 'measured%')::int AS lines FROM gone`,
      )
      return rows[0]?.lines ?? 0
    },
  })
}
