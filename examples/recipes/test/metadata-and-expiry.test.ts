import { afterAll, expect, test } from '@jest/globals'
import { createTestDatabase } from '@queue/testing'
import { notify } from '../src/expiring-notice.ts'
import { enqueueFor, jobsOf } from '../src/find-by-order.ts'

const database = await createTestDatabase()
afterAll(() => database.close())

test('the job of an order is found by the id of the order', async () => {
  await enqueueFor(database.queue, { id: 4711, email: 'ada@example.com' })
  await enqueueFor(database.queue, { id: 4712, email: 'bob@example.com' })
  expect(await jobsOf(database.queue, 4711)).toMatchObject([{ payload: { orderId: '4711' } }])
})

test('a notice expires after ten minutes', async () => {
  const job = await notify(database.queue, 'ada', 'Your table is free.')
  expect(job.expiresAt).toEqual(new Date(job.createdAt.getTime() + 600_000))
})
