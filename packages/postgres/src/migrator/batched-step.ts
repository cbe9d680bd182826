import {
  dropProgress,
  noteApplied,
  quoted,
  readProgress,
  type StepProgress,
  writeProgress,
} from './migration-history.ts'
import type { BatchedMigration } from './migration.ts'
import type { RunnerClient } from './runner-client.ts'
import { runStatement } from './statement-failure.ts'
import { type Outcome, type StepContext, stepTransaction } from './step.ts'

/** Short, because a batch that waits for the lock of a row already holds those of others. */
const rowLockTimeoutMs = 100
/** The maximum pause after a batch. The pause is as long as the batch, so that other sessions can use disk and processors. */
const pauseMsMax = 1_000

/**
 * Changes rows in batches. Each batch is a transaction that also stores the cursor, and the last one records the step. Concurrent
 * runners take turns.
 */
export async function applyBatched(context: StepContext, step: BatchedMigration): Promise<Outcome> {
  for (;;) {
    const batch = await stepTransaction<Batch>(context, step, {
      from: step.version - 1,
      timeoutMs: rowLockTimeoutMs,
      body: () => runBatch(context, step),
    })
    if (batch === 'overtaken') return 'overtaken'
    const { version, name } = step
    context.onProgress({ type: 'batch', version, name, rows: batch.progress.rows })
    if (batch.progress.cursor === null) return 'done'
    await pause(context, batch.tookMs)
  }
}

interface Batch {
  readonly progress: StepProgress
  readonly tookMs: number
}

async function runBatch(context: StepContext, step: BatchedMigration): Promise<Batch> {
  const { client, schema } = context
  const startedMs = performance.now()
  const before = await readProgress(context, step.version)
  const [row] = await runStatement<{ cursor: string | null; rows: number | string }>(
    context,
    step.batch(quoted(schema)),
    [before.cursor, step.rowsMax],
  )
  const progress = { cursor: row?.cursor ?? null, rows: before.rows + Number(row?.rows ?? 0) }
  if (progress.cursor === null) await client.query(`${dropProgress(context)}; ${noteApplied(context, step)}`)
  else await writeProgress(context, step.version, progress)
  return { progress, tookMs: performance.now() - startedMs }
}

async function pause({ client }: RunnerClient, tookMs: number): Promise<void> {
  await client.query('SELECT pg_catalog.pg_sleep($1::float8 / 1000::float8)', [Math.min(tookMs, pauseMsMax)])
}
