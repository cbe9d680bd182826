import { afterAll, expect, test } from '@jest/globals'
import { enqueueProbe } from './support/builders.ts'
import { openWorld } from './support/world.ts'

const world = await openWorld()
afterAll(() => world.close())

test('the states of many jobs come in one query; what is no job is left out', async () => {
  const [one, other] = [await enqueueProbe(world), await enqueueProbe(world)]
  await world.queue.cancel(other.id)
  const unknown = '01900000-0000-7000-8000-000000000000'
  const states = await world.queue.states([other.id, unknown, 'x', "' OR true --", one.id, one.id])
  expect(new Map(states.map(({ id, status }) => [id, status]))).toEqual(
    new Map([
      [one.id, 'queued'],
      [other.id, 'cancelled'],
    ]),
  )
  expect(states).toHaveLength(2)
  expect(states.find(({ id }) => id === one.id)).toEqual({
    id: one.id,
    status: 'queued',
    attempts: 0,
    maxAttempts: 3,
    cancelRequested: false,
    progress: null,
    progressMessage: null,
    updatedAt: one.updatedAt,
  })
  expect(await world.queue.states([])).toEqual([])
})
