import { createQueue, defineJob, migrateUp } from '@queue/core'
import { createWorker, handle } from '@queue/worker'
import { z } from 'zod'
import { concurrency, type Contender, payload } from './contender.ts'

/** The job of every measurement. */
export const benchJob = defineJob({
  kind: 'bench',
  payload: z.object({ message: z.string(), number: z.number() }),
})
const batch = 1_000
/** The setting of the apps without a pooler in transaction mode. */
export const preparedStatements = true

/**
 * This queue, with its history (one execution row for each attempt), dead letters and fencing. `bench compare` loads this
 * file of each commit by its path (`adapterPaths` in compare/checkout.ts), so it uses the API of its own commit.
 */
export const ours: Contender = {
  name: 'ours',
  prepare: async (connectionString) => void (await migrateUp({ connectionString })),
  produce: async (connectionString) => {
    const queue = createQueue({ connectionString, preparedStatements })
    return {
      addMany: async (count) => {
        for (let remaining = count; remaining > 0; remaining -= batch) {
          await queue.enqueueMany(
            Array.from({ length: Math.min(batch, remaining) }, () => benchJob.create(payload)),
          )
        }
      },
      addOne: async () => void (await queue.enqueue(benchJob, payload)),
      close: () => queue.close(),
    }
  },
  work: async (connectionString, { onJob }) => {
    const handlers = [handle(benchJob, onJob)]
    const worker = createWorker({ connectionString, concurrency, handlers, preparedStatements })
    await worker.start()
    return { stop: () => worker.stop() }
  },
}
