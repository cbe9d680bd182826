import { recoverJobs } from '@queue/core/runtime'
import { eventually } from '@queue/testing'
import type { Harness } from './harness.ts'

/** How long a session that has been told to end may take on a busy machine. */
const endingMsMax = 10_000
const lockKey = 20_260_101

/** Waits until each of these has settled or waits for a lock; says whether all of them have settled. */
export async function settledOrWaiting(
  harness: Harness,
  calls: readonly Promise<unknown>[],
): Promise<boolean> {
  let open = calls.length
  const close = (): void => {
    open -= 1
  }
  for (const call of calls) call.then(close, close)
  await eventually(async () => open === 0 || (await waiting(harness)) >= open, {
    intervalMs: 5,
    what: 'that every call has its answer or waits for a lock',
  })
  return open === 0
}

/** How many sessions of this database wait for a lock now. */
async function waiting({ plain }: Harness): Promise<number> {
  const { rows } = await plain.pool.query<{ waiting: number }>(
    `SELECT count(*)::int AS waiting FROM pg_stat_activity
      WHERE datname = current_database() AND wait_event_type = 'Lock'`,
  )
  return rows[0]?.waiting ?? 0
}

/** Whether the sessions of this name come to be so many at most; some may be at their end. */
export async function staysWithin(
  { plain }: Harness,
  { name, max }: { readonly name: string; readonly max: number },
): Promise<boolean> {
  const isWithin = async (): Promise<boolean> => {
    const { rows } = await plain.pool.query('SELECT FROM pg_stat_activity WHERE application_name = $1', [
      name,
    ])
    return rows.length <= max
  }
  return eventually(isWithin, { deadlineMs: endingMsMax }).catch(() => false)
}

/**
 * Runs `meanwhile` in the midst of a recovery: after the moment whose data it sees, and before it locks what it takes.
 * It is held up where it marks a worker as lost, by a trigger that waits for a lock of ours.
 */
export async function amidRecovery(harness: Harness, meanwhile: () => Promise<void>): Promise<void> {
  const slow = await harness.hire(harness.openQueue(), 'slow')
  await harness.expire(slow)
  const holder = await harness.plain.pool.connect()
  try {
    await holder.query('SELECT pg_advisory_lock($1)', [lockKey])
    const recovering = recoverJobs(harness.database)
    await settledOrWaiting(harness, [recovering])
    await meanwhile()
    await holder.query('SELECT pg_advisory_unlock($1)', [lockKey])
    await recovering
  } finally {
    holder.release(true)
    // A recovery that has failed leaves the worker to be marked, and would hold up the next recovery in its midst.
    await harness.plain.pool.query('DELETE FROM queue.workers WHERE id = $1', [slow])
  }
}

/** Makes the trigger that holds up who marks a worker called `slow-…` as lost. */
export async function installHoldUp({ pool }: Harness['plain']): Promise<void> {
  await pool.query(`
    CREATE FUNCTION chaos.hold_up() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      PERFORM pg_advisory_xact_lock(${lockKey});
      RETURN NEW;
    END $$;
    CREATE TRIGGER chaos_hold_up BEFORE UPDATE ON queue.workers FOR EACH ROW
      WHEN (NEW.state = 'lost' AND OLD.id LIKE 'slow-%') EXECUTE FUNCTION chaos.hold_up()`)
}
