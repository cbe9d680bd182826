import { assertArguments, assertOptions, callback, object, type Rule, text } from '@queue/loop/arguments'
import { z } from 'zod'
import { databaseVariables, logVariables, poolVariables } from './config/shared-variables.ts'
import { canListen, cannotListen, workerVariables } from './config/worker-variables.ts'
import { runMain } from './run-main.ts'
import { runWorker, type RunWorkerOptions } from './run-worker.ts'

export interface WorkerProgram {
  /** The name of the program in its log, its metrics and its connections. */
  readonly name: string
  /** The release, which the registry of workers and the metrics show. */
  readonly version: string
}

const programRules = { name: text, version: text } as const satisfies {
  readonly [Name in keyof WorkerProgram]-?: Rule
}

/** The environment of a worker of one's own. */
const config = z
  .object({ ...databaseVariables, ...poolVariables, ...workerVariables, ...logVariables })
  .refine(canListen, cannotListen)

/**
 * Runs the process of a worker of your own, from its start to its exit: it reads DATABASE_URL, WORKER_METRICS_BIND_ADDR, LOG_LEVEL
 * and so on from the environment (`--help` lists them), serves metrics and probes, waits for the database, works, and drains at a
 * SIGTERM. `createWorker` gets the options that do not depend on your jobs. Call it once, at the top level; the process ends with it.
 */
export async function serveWorker(
  worker: WorkerProgram,
  createWorker: RunWorkerOptions['createWorker'],
): Promise<never> {
  assertArguments('serveWorker', { program: object, createWorker: callback }, [worker, createWorker])
  assertOptions('serveWorker', worker, programRules)
  const program = { ...worker, description: 'Runs jobs of a queue.', config }
  return runMain(program, (context) => runWorker({ ...context, program, createWorker }))
}
