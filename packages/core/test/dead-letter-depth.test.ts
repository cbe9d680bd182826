import { afterAll, beforeEach, expect, test } from '@jest/globals'
import { deadLetterDepth } from '../src/schema.ts'
import { deadLettersCountedMax } from '../src/dead-letters/dead-letter-depth.ts'
import { openWorld } from './support/world.ts'

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

test('dead letters are counted by kind, and those of the last 15 minutes separately', async () => {
  expect(await deadLetterDepth(world.database)).toEqual([])
  await insertDeadLetters('mail', 2, '1 hour')
  await insertDeadLetters('mail', 1, '1 minute')
  await insertDeadLetters('image', 1, '1 day')
  expect(await deadLetterDepth(world.database)).toEqual([
    { kind: 'image', deadLetters: 1, recent: 0 },
    { kind: 'mail', deadLetters: 3, recent: 1 },
  ])
})

test('only the newest are counted, up to a maximum', async () => {
  await insertDeadLetters('old', 10, '1 day')
  await insertDeadLetters('new', deadLettersCountedMax + 5, '1 minute')
  expect(await deadLetterDepth(world.database)).toEqual([
    { kind: 'new', deadLetters: deadLettersCountedMax, recent: deadLettersCountedMax },
  ])
})
