import { expect, test } from '@jest/globals'
import { eventually, insertJob } from '@queue/testing'
import { useWorld } from './support/world.ts'

const world = useWorld()
const dayMs = 86_400_000

test('a worker removes what ended longer ago than it is kept, and nothing else', async () => {
  const ended = async (daysAgo: number): Promise<string> => {
    const at = { msFromNow: -daysAgo * dayMs }
    return (await insertJob(world.database, { status: 'succeeded', createdAt: at, finishedAt: at })).id
  }
  const [old, young] = [await ended(3), await ended(1)]
  const waiting = await world.enqueue({ delayMs: dayMs })
  await world.work(() => undefined, { retentionSucceededMs: 2 * dayMs, retentionIntervalMs: 20 })
  await eventually(async () => (await world.database.queue.get(old)) === undefined)
  expect((await world.job(young)).status).toBe('succeeded')
  expect((await world.job(waiting)).status).toBe('queued')
})
