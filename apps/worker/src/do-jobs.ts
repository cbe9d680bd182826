import type { PgClient } from '@queue/core'
import { HandlerExecutor } from '@queue/executor'
import type { BuiltInHandlers } from '@queue/handlers'
import { closeAtExit, ExitError, exitCodes, type MainContext } from '@queue/service'
import type { WorkerConfig } from './config.ts'
import { runWorker } from './run-worker.ts'

/** Runs a worker for the built-in kinds. Throws an ExitError (2) if a file that a setting names cannot be used. */
export async function doJobs(context: MainContext<WorkerConfig, undefined>): Promise<void> {
  const { config, logger } = context
  const builtIn = await loadHandlers(config)
  try {
    logger.info('this worker runs jobs of the built-in kinds', { kinds: config.EXECUTOR_KINDS })
    await runWorker({ ...context, createExecutor: () => new HandlerExecutor<PgClient>(builtIn.handlers) })
  } finally {
    await closeAtExit(builtIn.close())
  }
}

/** Loads the handlers on demand, because a loaded module stays in memory and a simulation needs none. */
async function loadHandlers(config: WorkerConfig): Promise<BuiltInHandlers> {
  const { EXECUTOR_KINDS: kinds, email, images, webhooks, outgoing } = config
  const { createHandlers } = await import('@queue/handlers')
  return createHandlers({ kinds, email, images, webhooks, outgoing }).catch((cause: unknown) => {
    const message = cause instanceof Error ? cause.message : String(cause)
    throw new ExitError(exitCodes.configuration, `the handlers cannot be created: ${message}`, { cause })
  })
}
