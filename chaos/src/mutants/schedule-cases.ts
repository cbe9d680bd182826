import { createIdMint, fireDue, type FiringReport, internalsOf } from '@queue/core/internal'
import { chaosJob } from '../fleet/chaos-job.ts'
import type { Case, Harness } from './harness.ts'
import { settledOrWaiting } from './interleave.ts'

/** Cases of schedules. */
export const scheduleCases: Readonly<Record<string, Case>> = {
  'a schedule that is due is fired, and is due no more': async (harness) => {
    await withDueSchedule(harness, 'due', async () => {
      harness.expectAnswer('a schedule that was due was not fired', hasFired(await fire(harness)))
      harness.expectAnswer('a schedule was fired once more', !hasFired(await fire(harness)))
    })
  },

  'a firing meets a schedule that another one holds': async (harness) => {
    await withDueSchedule(harness, 'held', async () => {
      const holder = await harness.unmutated.pool.connect()
      try {
        await holder.query(`BEGIN; SELECT FROM queue.schedules FOR UPDATE`)
        const firing = fire(harness)
        await settledOrWaiting(harness, [firing])
        await holder.query('ROLLBACK')
        harness.expectAnswer('a schedule was fired that another firing holds', !hasFired(await firing))
      } finally {
        holder.release(true)
      }
    })
  },

  'a firing meets a paused schedule': async (harness) => {
    await withDueSchedule(harness, 'paused', async (name) => {
      await harness.queue.schedules.pause(name)
      harness.expectAnswer('a paused schedule was fired', !hasFired(await fire(harness)))
    })
  },
}

/** Runs `act` with a daily schedule that is due now. Its jobs are in no client's history, so they are deleted at the end. */
async function withDueSchedule(
  harness: Harness,
  name: string,
  act: (name: string) => Promise<void>,
): Promise<void> {
  const queue = harness.openQueue()
  await harness.queue.schedules.create({
    name,
    everyMs: 86_400_000,
    startsAt: new Date(Date.now() + 3_600_000),
    definition: chaosJob,
    payload: { key: name, plan: 'succeed', ms: 0 },
    options: { queue },
  })
  await harness.unmutated.pool.query(
    `UPDATE queue.schedules SET starts_at = starts_at - interval '1 day', next_run_at = next_run_at - interval '1 day',
       due_at = due_at - interval '1 day' WHERE name = $1`,
    [name],
  )
  try {
    await act(name)
  } finally {
    await harness.unmutated.pool.query('DELETE FROM queue.jobs WHERE queue = $1', [queue])
    await harness.unmutated.pool.query('UPDATE queue.schedules SET paused_at = now() WHERE name = $1', [name])
  }
}

function fire({ database, queue }: Harness): Promise<FiringReport> {
  const { full } = internalsOf(queue)
  return fireDue(database, { mintIds: createIdMint(full.clock), full, kinds: new Map() })
}

function hasFired({ fired }: FiringReport): boolean {
  return fired.length > 0
}
