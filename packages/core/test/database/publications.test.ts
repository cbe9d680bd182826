import { afterAll, beforeEach, describe, expect, test } from '@jest/globals'
import { claim, finishAll, newWorker, probe } from '../support/builders.ts'
import { openWorld } from '../support/world.ts'
import { databaseOf } from '../../src/enqueue/queue-internals.ts'

const world = await openWorld()
afterAll(() => world.close())
beforeEach(() => world.reset())

test('every table has a replica identity', async () => {
  const tables = await world.sql(
    `SELECT c.relname::text AS name FROM pg_class AS c
      WHERE c.relnamespace = 'queue'::regnamespace AND c.relkind IN ('r', 'p')
        AND c.relreplident <> 'f' AND NOT EXISTS (
          SELECT FROM pg_index AS i WHERE i.indrelid = c.oid
             AND CASE c.relreplident WHEN 'd' THEN i.indisprimary ELSE i.indisreplident END)`,
  )
  expect(tables).toEqual([])
})

describe('while a publication has all tables', () => {
  afterAll(() => world.sql('DROP PUBLICATION everything'))

  test('jobs with keys and limits start and end', async () => {
    await world.sql('CREATE PUBLICATION everything FOR ALL TABLES')
    await world.queue.limits.set({ scope: 'key', queue: 'default', name: 'a', maxRunning: 1 })
    const requests = [1, 2, 3].map((n) => probe.create(n, { key: 'a' }))
    await world.queue.enqueueMany(requests)
    const workerId = await newWorker({ database: databaseOf(world.queue) })
    for (const _ of requests) {
      const claimed = await claim({ database: databaseOf(world.queue) }, workerId, { limit: 10 })
      expect(claimed).toHaveLength(1)
      await finishAll(world, claimed)
    }
  })
})
