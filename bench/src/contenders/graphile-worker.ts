import { Logger, makeWorkerUtils, run, runMigrations } from 'graphile-worker'
import { concurrency, type Contender, payload } from './contender.ts'

const logger = new Logger(() => () => undefined)
const batch = 1_000
const poolMax = 10

/** graphile-worker with a local queue of 500 and completions in batches. It deletes finished jobs. */
export const graphileWorker: Contender = {
  name: 'graphile-worker',
  prepare: (connectionString) => runMigrations({ connectionString, logger }),
  produce: async (connectionString) => {
    const utils = await makeWorkerUtils({ connectionString, logger })
    return {
      addMany: async (count) => {
        for (let remaining = count; remaining > 0; remaining -= batch) {
          await utils.addJobs(
            Array.from({ length: Math.min(batch, remaining) }, () => ({ identifier: 'bench', payload })),
          )
        }
      },
      addOne: async () => void (await utils.addJob('bench', payload)),
      close: async () => utils.release(),
    }
  },
  work: async (connectionString, { tuning, onJob }) => {
    const batching = { localQueue: { size: 500 }, completeJobBatchDelay: 0, failJobBatchDelay: 0 }
    const runner = await run({
      connectionString,
      logger,
      concurrency,
      maxPoolSize: poolMax,
      noHandleSignals: true,
      taskList: { bench: async () => onJob() },
      preset: { worker: tuning === 'throughput' ? batching : {} },
    })
    return { stop: () => runner.stop() }
  },
}
