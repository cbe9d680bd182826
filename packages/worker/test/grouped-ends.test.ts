import { describe, expect, test } from '@jest/globals'
import { countStatements } from './support/counting-pool.ts'
import { useWorld } from './support/world.ts'

const world = useWorld()

describe('the ends of jobs', () => {
  test('that come together are written together', async () => {
    const concurrency = 60
    const { pool, sent } = countStatements(world.database.urlAs('worker'))
    try {
      const all = Promise.withResolvers<void>()
      let begun = 0
      const worker = await world.onPool(
        pool,
        async () => {
          begun += 1
          if (begun === concurrency) all.resolve()
          await all.promise
        },
        { concurrency },
      )
      const ids = await Promise.all(Array.from({ length: concurrency }, () => world.enqueue()))
      for (const id of ids) await world.reached(id, 'succeeded')
      await worker.stop()
      expect(sent(`'succeeded'`).length).toBeGreaterThan(0)
      expect(
        sent('AS next_status').filter((text) => text.includes(`'succeeded'`)).length,
        // Two or three on a quiet machine. On a busy machine the handlers end in more than one turn of the event loop.
      ).toBeLessThanOrEqual(concurrency / 3)
    } finally {
      await pool.end()
    }
  })
})
