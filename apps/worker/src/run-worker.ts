import type { PgClient } from '@queue/core'
import type { Executor } from '@queue/executor'
import { type MainContext, runWorker as runWorkerProcess } from '@queue/service'
import { createWorker } from '@queue/worker'
import type { WorkerConfig } from './config.ts'
import { program } from './program.ts'

export interface RunWorkerOptions extends MainContext<WorkerConfig, undefined> {
  /** Called once, when the database is available and its schema is checked. */
  readonly createExecutor: () => Executor<PgClient>
}

/** Runs a worker, and beside it the relay of an outbox if `WORKER_OUTBOX` is on. */
export async function runWorker({ config, logger, signal, createExecutor }: RunWorkerOptions): Promise<void> {
  const relay = config.WORKER_OUTBOX ? await loadRelay() : undefined
  await runWorkerProcess({
    program,
    config,
    logger,
    signal,
    createWorker: (surroundings) =>
      createWorker({ ...config.worker, ...surroundings, executor: createExecutor() }),
    ...(relay && { companion: (parts) => relay.composeRelay({ config, logger, ...parts }) }),
  })
}

/** Loads the relay on demand, because a loaded module stays in memory and most workers have no relay. */
function loadRelay() {
  return import('./relay.ts')
}
