import { expect, test } from '@jest/globals'
import type { Lease } from '@queue/core'
import { finishJobs } from '@queue/core/runtime'
import { insertJob } from '@queue/testing'
import { createReconciler } from '../src/reconcile.ts'
import { useWorld } from './support/world.ts'

const world = useWorld()

test('an attempt that ends between the look and the check is neither given back nor reported', async () => {
  const { database } = world.database.queue
  const ended = await insertJob(world.database, { status: 'running', lockedBy: 'me' })
  const unknown = await insertJob(world.database, { status: 'running', lockedBy: 'me' })
  const atTheLook: string[] = []
  const reconciler = createReconciler({
    database,
    logger: world.logger,
    nowMs: () => performance.now(),
    workerId: () => 'me',
    held: () => [],
    // Right behind the look.
    claimsSettled: async () => {
      atTheLook.push((await world.job(ended.id)).status)
      await finishJobs(database, [{ lease: { jobId: ended.id, token: 1 }, resultText: null, note: null }])
    },
  })
  await reconciler.reconcileLast()
  expect(atTheLook).toEqual(['running'])
  expect(await world.job(ended.id)).toMatchObject({ status: 'succeeded', attempts: 1 })
  expect(await world.job(unknown.id)).toMatchObject({ status: 'queued', attempts: 0 })
  expect(world.logger.lines.map((line) => line.fields)).toEqual([{ jobs: 1 }])
})

test('what a claim in flight has written is given back only if it does not arrive', async () => {
  const { database } = world.database.queue
  const arrives = await insertJob(world.database, { status: 'running', lockedBy: 'me' })
  const never = await insertJob(world.database, { status: 'running', lockedBy: 'me' })
  const held: Lease[] = []
  const reconciler = createReconciler({
    database,
    logger: world.logger,
    nowMs: () => performance.now(),
    workerId: () => 'me',
    held: () => held,
    claimsSettled: async () => void held.push({ jobId: arrives.id, token: 1 }),
  })
  reconciler.suspect()
  await reconciler.reconcile()
  expect(await world.job(arrives.id)).toMatchObject({ status: 'running', attempts: 1 })
  expect(await world.job(never.id)).toMatchObject({ status: 'queued', attempts: 0 })
})
