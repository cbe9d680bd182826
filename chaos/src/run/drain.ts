import { setTimeout as wait } from 'node:timers/promises'
import type { TestDatabase } from '@queue/testing'
import type { ScenarioContext } from '../scenarios/scenario.ts'

/** If nothing changes for this long while workers run, in milliseconds, nothing will change any more. */
const standstillMsMax = 60_000
const pollIntervalMs = 200

interface Live {
  readonly live: number
  readonly changes: string
}

/**
 * Waits until every job has ended, or until nothing has changed for a minute; the checker then reports the remaining jobs. The
 * workers must run. Throws when the scenario's time is over.
 */
export async function untilDrained(
  database: TestDatabase,
  { signal, progress }: Pick<ScenarioContext, 'signal' | 'progress'>,
): Promise<void> {
  let last: Live | undefined
  let changedMs = performance.now()
  for (;;) {
    const now = await readLive(database)
    if (now.live === 0) return
    if (now.changes !== last?.changes) changedMs = performance.now()
    if (performance.now() - changedMs > standstillMsMax) return
    last = now
    progress(`${now.live} jobs have not ended yet`)
    await wait(pollIntervalMs, undefined, { signal })
  }
}

async function readLive({ pool, schema }: TestDatabase): Promise<Live> {
  const { rows } = await pool.query<Live>(
    `SELECT count(*)::int AS live,
            (SELECT coalesce(max(seq), 0) FROM chaos.audit) || ' ' || (SELECT coalesce(max(seq), 0) FROM chaos.effects)
              AS changes
       FROM "${schema}".all_jobs
      WHERE status IN ('queued', 'retrying') OR (locked_by IS NOT NULL AND status = 'running')`,
  )
  return rows[0] ?? { live: 0, changes: '' }
}
