import { afterAll, beforeEach, expect, test } from '@jest/globals'
import { untilSomeoneWaitsFor } from '@queue/dev-postgres'
import type { Acts } from '../../src/acts/acts.ts'
import { probe } from '../support/builders.ts'
import { openWorld } from '../support/world.ts'

const world = await openWorld()
const { queue } = world
afterAll(() => world.close())
beforeEach(() => world.reset())

const later = () => new Date(Date.now() + 600_000)
/** Acts on both jobs. */
const acts: Readonly<Record<string, (by: Acts) => Promise<object>>> = {
  'many.cancel': (by) => by.many.cancel({ queue: 'default' }),
  'many.reschedule': (by) => by.many.reschedule({ queue: 'default' }, { runAt: later() }),
}

test.each(
  Object.entries(acts).flatMap(([name, act]) =>
    (['a program', 'a person'] as const).map((who) => ({ name, who, act })),
  ),
)('$name by $who is repeated when a deadlock has undone it', async ({ who, act }) => {
  const by = who === 'a program' ? queue : queue.actAs({ type: 'token', id: 'token' })
  const unique = (key: string) => ({ key, scope: 'live' }) as const
  const options = { delayMs: 600_000 }
  const first = await queue.enqueue(probe, {}, { ...options, unique: unique('a') })
  const second = await queue.enqueue(probe, {}, { ...options, unique: unique('b') })
  const caller = await world.session()
  // Only the act looks for deadlocks in time, so it is the one that is undone.
  await caller.query(`BEGIN; SET LOCAL deadlock_timeout = '1min'`)
  // The caller locks the jobs in the other order than the act.
  await caller.query('SELECT FROM queue.jobs WHERE id = $1 FOR UPDATE', [second.job.id])
  const acting = act(by)
  await untilSomeoneWaitsFor(caller, await world.session())
  await caller.query('SELECT FROM queue.jobs WHERE id = $1 FOR UPDATE', [first.job.id])
  await caller.query('COMMIT')
  expect(await acting).toMatchObject({ jobIds: [first.job.id, second.job.id] })
})
