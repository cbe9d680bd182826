import { afterAll, expect, test } from '@jest/globals'
import { createTestDatabase } from '@queue/testing'
import { requestDigest } from '../src/unique-window.ts'

const database = await createTestDatabase()
afterAll(() => database.close())

const hourMs = 3_600_000

test('many concurrent requests enqueue one job per user and window', async () => {
  const { queue } = database
  const startMs = 1_000_000 * hourMs
  const requests = Array.from({ length: 60 }, (_, n) =>
    requestDigest(queue, n % 2 === 0 ? 'ada' : 'bob', startMs + (n % 3) * (hourMs / 2)),
  )
  const ids = (await Promise.all(requests)).map(({ id }) => id)
  // Two users in two windows: the third time is in the second hour.
  expect(new Set(ids).size).toBe(4)
  const { rows } = await database.pool.query('SELECT FROM queue.all_jobs')
  expect(rows).toHaveLength(4)
})
