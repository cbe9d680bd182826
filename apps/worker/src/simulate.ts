import { SimulatedExecutor } from '@queue/executor'
import type { MainContext } from '@queue/service'
import type { WorkerConfig } from './config.ts'
import { runWorker } from './run-worker.ts'

/** Runs a worker that only simulates its jobs. It logs a warning, so that nobody waits for mail that was never sent. */
export function simulate(context: MainContext<WorkerConfig, undefined>): Promise<void> {
  const { simulation } = context.config
  const createExecutor = (): SimulatedExecutor => {
    context.logger.warn('this worker only simulates the work of the built-in kinds', {
      speed: simulation.speed,
    })
    return new SimulatedExecutor(simulation)
  }
  return runWorker({ ...context, createExecutor })
}
