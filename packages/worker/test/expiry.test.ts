import { expect, test } from '@jest/globals'
import { eventually } from '@queue/test-database'
import { useWorld } from './support/world.ts'

const world = useWorld()

test('jobs whose expiry passes are cancelled by any worker, and never begin', async () => {
  const begun: string[] = []
  const metadata = { order_id: 4711 }
  // The worker is busy with the first of them, so that the others expire in the queue.
  const blocker = await world.enqueue()
  let free = (): void => undefined
  const blocked = new Promise<void>((resolve) => (free = resolve))
  await world.work(
    async (job) => {
      begun.push(job.id)
      if (job.id === blocker) await blocked
      else expect(job).toMatchObject({ metadata, expiresAt: expect.any(Date) })
    },
    { concurrency: 1, prefetch: 10 },
  )
  await world.reached(blocker, 'running')
  const expiring = await Promise.all([1, 2, 3].map(() => world.enqueue({ expiresInMs: 600_000, metadata })))
  const [keptId = '', ...expired] = expiring
  await world.database.pool.query(
    `UPDATE queue.jobs SET expires_at = now() - interval '1 second' WHERE id = ANY($1)`,
    [expired],
  )
  for (const id of expired) {
    expect(await world.reached(id, 'cancelled')).toMatchObject({ cancelReason: 'expired', attempts: 0 })
  }
  free()
  await world.reached(keptId, 'succeeded')
  expect(begun).toEqual([blocker, keptId])
  // The rows change a moment before the worker gets the answer and reports it.
  await eventually(() => world.observer.reports('jobExpired').length >= 2)
  expect(world.observer.reports('jobExpired')).toHaveLength(2)
})
