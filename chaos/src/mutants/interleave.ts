import { recoverJobs } from '@queue/core/internal'
import { eventually } from '@queue/testing'
import type { Harness } from './harness.ts'

/** How long a session may take to end on a busy machine, in milliseconds. */
const endingMsMax = 10_000
const lockKey = 20_260_101

/** Waits until each of these calls has settled or waits for a lock. Resolves with whether all have settled. */
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
    what: 'an answer or a lock wait of every call',
  })
  return open === 0
}

/** How many sessions of this database wait for a lock now. */
async function waiting({ unmutated }: Harness): Promise<number> {
  const { rows } = await unmutated.pool.query<{ waiting: number }>(
    `SELECT count(*)::int AS waiting FROM pg_stat_activity
      WHERE datname = current_database() AND wait_event_type = 'Lock' AND wait_event <> 'object'`,
  )
  return rows[0]?.waiting ?? 0
}

/** Whether there are at most `max` sessions of this name within a while; some of them may be about to end. */
export async function settlesWithin(
  { unmutated }: Harness,
  { name, max }: { readonly name: string; readonly max: number },
): Promise<boolean> {
  const isWithin = async (): Promise<boolean> => {
    const { rows } = await unmutated.pool.query('SELECT FROM pg_stat_activity WHERE application_name = $1', [
      name,
    ])
    return rows.length <= max
  }
  return eventually(isWithin, { deadlineMs: endingMsMax }).catch(() => false)
}

/**
 * Runs `meanwhile` in the middle of a recovery: after it has taken its snapshot, and before it locks the jobs. A trigger
 * delays the recovery when it marks a worker as lost, until an advisory lock is released.
 */
export async function duringRecovery(harness: Harness, meanwhile: () => Promise<void>): Promise<void> {
  const slow = await harness.addWorker(harness.openQueue(), 'slow')
  await harness.expire(slow)
  const holder = await harness.unmutated.pool.connect()
  try {
    await holder.query('SELECT pg_advisory_lock($1)', [lockKey])
    const recovering = recoverJobs(harness.database)
    await settledOrWaiting(harness, [recovering])
    await meanwhile()
    await holder.query('SELECT pg_advisory_unlock($1)', [lockKey])
    await recovering
  } finally {
    holder.release(true)
    // A failed recovery does not mark the worker, which would then delay the next recovery.
    await harness.unmutated.pool.query('DELETE FROM queue.workers WHERE id = $1', [slow])
  }
}

/** Creates the trigger that delays marking a worker named `slow-…` as lost. */
export async function installRecoveryDelay({ pool }: Harness['unmutated']): Promise<void> {
  await pool.query(`
    CREATE FUNCTION chaos.hold_up() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      PERFORM pg_advisory_xact_lock(${lockKey});
      RETURN NEW;
    END $$;
    CREATE TRIGGER chaos_hold_up BEFORE UPDATE ON queue.workers FOR EACH ROW
      WHEN (NEW.state = 'lost' AND OLD.id LIKE 'slow-%') EXECUTE FUNCTION chaos.hold_up()`)
}
