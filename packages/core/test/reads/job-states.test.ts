import { afterAll, expect, test } from '@jest/globals'
import { enqueueProbe } from '../support/builders.ts'
import { openWorld } from '../support/world.ts'

const world = await openWorld()
afterAll(() => world.close())

test('the states of many jobs are read in one query; unknown ids are left out', async () => {
  const [firstJob, secondJob] = [await enqueueProbe(world), await enqueueProbe(world)]
  await world.queue.cancel(secondJob.id)
  const unknown = '01900000-0000-7000-8000-000000000000'
  const states = await world.queue.states([
    secondJob.id,
    unknown,
    'x',
    "' OR true --",
    firstJob.id,
    firstJob.id,
  ])
  expect(new Map(states.map(({ id, status }) => [id, status]))).toEqual(
    new Map([
      [firstJob.id, 'queued'],
      [secondJob.id, 'cancelled'],
    ]),
  )
  expect(states).toHaveLength(2)
  expect(states.find(({ id }) => id === firstJob.id)).toEqual({
    id: firstJob.id,
    status: 'queued',
    attempts: 0,
    maxAttempts: 3,
    cancelRequested: false,
    progress: null,
    progressMessage: null,
    updatedAt: firstJob.updatedAt,
  })
  expect(await world.queue.states([])).toEqual([])
})
