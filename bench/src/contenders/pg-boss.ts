import { PgBoss } from 'pg-boss'
import { type Contender, payload } from './contender.ts'

const queue = 'bench'
const batch = 1_000

/** pg-boss with batches of 500, four of them concurrently, and notifications. Finished jobs stay in its table. */
export const pgBoss: Contender = {
  name: 'pg-boss',
  prepare: async (connectionString) => {
    const boss = new PgBoss({ connectionString, supervise: false, schedule: false })
    await boss.start()
    await boss.createQueue(queue, { notify: true })
    await boss.stop()
  },
  produce: async (connectionString) => {
    const boss = new PgBoss({ connectionString, supervise: false, schedule: false })
    await boss.start()
    return {
      addMany: async (count) => {
        for (let remaining = count; remaining > 0; remaining -= batch) {
          await boss.insert(
            queue,
            Array.from({ length: Math.min(batch, remaining) }, () => ({ data: payload })),
          )
        }
      },
      addOne: async () => void (await boss.send(queue, payload)),
      close: () => boss.stop(),
    }
  },
  work: async (connectionString, { tuning, onJob }) => {
    const boss = new PgBoss({ connectionString, supervise: false, schedule: false, useListenNotify: true })
    await boss.start()
    const throughput = { batchSize: 500, localConcurrency: 4, burstWhenBatchFull: true } as const
    const latency = { batchSize: 1, localConcurrency: 4 } as const
    const options = { pollingIntervalSeconds: 0.5, ...(tuning === 'throughput' ? throughput : latency) }
    await boss.work(queue, options, async (jobs) => {
      for (const _ of jobs) await onJob()
    })
    return { stop: () => boss.stop({ graceful: true }) }
  },
}
