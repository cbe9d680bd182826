import { afterAll, beforeEach, expect, test } from '@jest/globals'
import { deadLettersReadMax } from '../../src/insight/dead-letter-depth.ts'
import { deadLetterDepth } from '../../src/internal.ts'
import { openWorld } from '../support/world.ts'

const world = await openWorld()
afterAll(() => world.close())
beforeEach(() => world.reset())

/** Inserts `count` dead letters of a kind that were dead-lettered `ago`. */
function insertDeadLetters(kind: string, count: number, ago: string): Promise<unknown> {
  return world.sql(
    `INSERT INTO queue.dead_letter_jobs
       (job_id, lease_token, created_at, dead_lettered_at, attempts, max_attempts, priority, crashes, queue, kind, payload,
        execution_history)
     SELECT gen_random_uuid(), 1, now(), now() - $3::interval, 1, 1, 4, 0, 'default', $1, '{}', '[]'
       FROM generate_series(1, $2::int)`,
    [kind, count, ago],
  )
}

test('dead letters are counted by kind, and those of the last 15 minutes separately, with the age of the oldest', async () => {
  expect(await deadLetterDepth(world.database)).toEqual([])
  await insertDeadLetters('mail', 2, '1 hour')
  await insertDeadLetters('mail', 1, '1 minute')
  await insertDeadLetters('image', 1, '1 day')
  expect(await deadLetterDepth(world.database)).toEqual([
    { kind: 'image', deadLetters: 1, recent: 0, oldestSeconds: about(86_400) },
    { kind: 'mail', deadLetters: 3, recent: 1, oldestSeconds: about(3_600) },
  ])
})

test('many dead letters of one kind never hide that those of another are old', async () => {
  await insertDeadLetters('old', 10, '2 days')
  await insertDeadLetters('between', 1, '1 day')
  await insertDeadLetters('new', deadLettersReadMax + 5, '1 minute')
  const { newest, oldest } = { newest: deadLettersReadMax, oldest: about(60) }
  expect(await deadLetterDepth(world.database)).toEqual([
    { kind: 'between', deadLetters: 0, recent: 0, oldestSeconds: about(86_400) },
    { kind: 'new', deadLetters: newest, recent: newest, oldestSeconds: oldest },
    { kind: 'old', deadLetters: 0, recent: 0, oldestSeconds: about(172_800) },
  ])
})

/** An age in seconds of a row that was written moments ago. */
function about(seconds: number): number {
  return expect.closeTo(seconds, -2) as unknown as number
}
