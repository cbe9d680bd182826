import { AsyncLocalStorage } from 'node:async_hooks'
import { setImmediate as turn } from 'node:timers/promises'
import { expect, test } from '@jest/globals'
import { handle } from '@queue/executor'
import { eventually } from '@queue/test-database'
import { testJob, useWorld } from './support/world.ts'

const world = useWorld()
const storage = new AsyncLocalStorage<string>()

test.each([0, 20])(
  'each handler starts in the async context in which its worker was created: prefetch %s',
  async (prefetch) => {
    const jobs = 40
    const seen: (string | undefined)[] = []
    await world.database.queue.enqueueMany(Array.from({ length: jobs }, () => testJob.create({})))
    const handler = handle(testJob, async () => {
      seen.push(storage.getStore())
      storage.enterWith('of another job')
      if (seen.length % 2 === 0) await turn()
    })
    const worker = storage.run('of the worker', () =>
      world.create({ handlers: [handler] }, { concurrency: 3, prefetch }),
    )
    await storage.run('of who starts it', () => worker.start())
    await eventually(() => seen.length === jobs)
    expect(new Set(seen)).toEqual(new Set(['of the worker']))
  },
)
