import type { Queue } from '@queue/core'
import { databaseOf } from '@queue/core/internal'
import { type PairsFigures, type PairsOptions, runPairs } from './drain-pairs.ts'

const rate = 500

/**
 * Measures a drain, alone and while its worker carries out an operation that requeues dead letters of a queue without workers.
 */
export function runOperations({
  deadLetters,
  ...options
}: PairsOptions & { readonly deadLetters: number }): Promise<PairsFigures> {
  let operationId = ''
  return runPairs(options, {
    name: 'operations',
    handlerMs: 0,
    prepare: async (queue) => {
      options.onStep(`operations: ${deadLetters} dead letters are inserted`)
      await insertDeadLetters(queue, deadLetters)
    },
    begin: async ({ many }) => {
      const result = await many.requeueDeadLetters({}, { all: true, rate })
      if (result.outcome !== 'operation')
        throw new Error('the requeue was carried out at once instead of as an operation')
      operationId = result.operation.id
    },
    end: async ({ many }) => (await many.cancelOperation(operationId)).changed,
  })
}

/** Inserts dead letters that are too new to be pruned, of jobs that no worker has claimed. */
async function insertDeadLetters(queue: Queue, count: number): Promise<void> {
  const { pool } = databaseOf(queue)
  await pool.query(
    `INSERT INTO queue.jobs (id, queue, kind, payload, status, attempts, lease_token, finished_at)
     SELECT (left(ms, 8) || '-' || right(ms, 4) || '-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid,
            'dead', 'bench', '{}', 'failed_permanent', 1, 1, now()
       FROM generate_series(1, $1::int) AS n, lpad(to_hex((extract(epoch FROM now()) * 1000)::bigint), 12, '0') AS ms`,
    [count],
  )
  await pool.query(
    `INSERT INTO queue.dead_letter_jobs (job_id, lease_token, created_at, dead_lettered_at, attempts, max_attempts, priority,
       crashes, queue, kind, payload, execution_history)
     SELECT id, 1, created_at, now(), 1, 3, 4, 0, queue, kind, payload, '[{"lease_token": 1}]' FROM queue.all_jobs`,
  )
  await pool.query('VACUUM ANALYZE queue.jobs, queue.dead_letter_jobs')
}
