// Checks that the job statistics match the rows, except for the counts that killed processes had not written yet.
import { endedAttempts } from '@queue/test-database'
import { statsIntervalMs } from '../fleet/fleet.ts'
import type { World } from '../run/world.ts'

/** How late a process may write its counts after the interval, in milliseconds. */
const delayMs = 4_000

interface Numbers {
  readonly succeeded: number
  readonly failed: number
  readonly retried: number
}

/** Counts the rows of jobs and history. `missing`: the ends that killed processes may have recorded but not counted. */
const rowsQuery = `
  WITH ended AS (
    SELECT x.outcome, j.status, x.finished_at, w.state,
           max(x.finished_at) FILTER (WHERE x.outcome <> 'lost') OVER (PARTITION BY x.worker_id) AS last_at
      FROM {attempts} AS x JOIN {schema}.all_jobs AS j ON j.id = x.job_id
      LEFT JOIN {schema}.workers AS w ON w.id = x.worker_id
  )
  SELECT (SELECT count(*) FROM {schema}.all_jobs WHERE status = 'succeeded')::int AS succeeded,
         (SELECT count(*) FROM {schema}.all_jobs WHERE status = 'failed_permanent')::int AS failed,
         (SELECT count(*) FROM ended WHERE outcome IN ('failed', 'lost'))::int
           - (SELECT count(*) FROM {schema}.all_jobs WHERE status = 'failed_permanent')::int AS retried,
         (SELECT count(*) FROM ended
           WHERE outcome <> 'lost' AND state IS DISTINCT FROM 'stopped' AND finished_at > last_at - $1 * interval '1 millisecond')::int
           + (SELECT count(*) FROM ended WHERE outcome = 'lost')::int AS missing`

/** The faults in the job statistics of a finished run without requeues. */
export async function wrongNumbers({ database }: Pick<World, 'database'>): Promise<string[]> {
  const text = rowsQuery
    .replaceAll('{schema}', database.schema)
    .replaceAll('{attempts}', endedAttempts(database.schema))
  const { rows } = await database.pool.query<Numbers & { missing: number }>(text, [statsIntervalMs + delayMs])
  const [recorded] = rows
  if (recorded === undefined) return ['the rows could not be counted']
  const { total: counted } = await database.queue.stats({ step: 'hour' })
  const names = ['succeeded', 'failed', 'retried'] as const
  const above = names.filter((name) => counted[name] > recorded[name])
  const lacking = names.reduce((sum, name) => sum + recorded[name] - counted[name], 0)
  return [
    ...above.map((name) => `${counted[name]} jobs are counted as ${name}, but only ${recorded[name]} are`),
    ...(lacking > recorded.missing
      ? [`${lacking} ends are not counted, but killed processes can have lost only ${recorded.missing}`]
      : []),
  ]
}
