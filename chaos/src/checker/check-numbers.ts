// Whether the numbers over time are what the rows say, but for what killed processes had counted and not yet added.
import { statsIntervalMs } from '../fleet/fleet.ts'
import type { World } from '../run/world.ts'

/** A process adds its counts after the interval, as soon as the machine lets it. */
const delayMs = 4_000

interface Numbers {
  readonly succeeded: number
  readonly failed: number
  readonly retried: number
}

/** The rows of jobs and history, as numbers; `missing` is what the processes that were killed had ended in their last moments. */
const rowsQuery = `
  WITH ended AS (
    SELECT x.outcome, j.status, x.finished_at, w.state,
           max(x.finished_at) FILTER (WHERE x.outcome <> 'lost') OVER (PARTITION BY x.worker_id) AS last_at
      FROM {schema}.job_executions AS x JOIN {schema}.jobs AS j ON j.id = x.job_id
      LEFT JOIN {schema}.workers AS w ON w.id = x.worker_id
  )
  SELECT (SELECT count(*) FROM {schema}.jobs WHERE status = 'succeeded')::int AS succeeded,
         (SELECT count(*) FROM {schema}.jobs WHERE status = 'failed_permanent')::int AS failed,
         (SELECT count(*) FROM ended WHERE outcome IN ('failed', 'lost'))::int
           - (SELECT count(*) FROM {schema}.jobs WHERE status = 'failed_permanent')::int AS retried,
         (SELECT count(*) FROM ended
           WHERE outcome <> 'lost' AND state IS DISTINCT FROM 'stopped' AND finished_at > last_at - $1 * interval '1 millisecond')::int
           + (SELECT count(*) FROM ended WHERE outcome = 'lost')::int AS missing`

/** The faults of the numbers of a run that has ended, in which nothing was requeued. */
export async function wrongNumbers({ database }: Pick<World, 'database'>): Promise<string[]> {
  const text = rowsQuery.replaceAll('{schema}', database.schema)
  const { rows } = await database.pool.query<Numbers & { missing: number }>(text, [statsIntervalMs + delayMs])
  const [of] = rows
  if (of === undefined) return ['the rows could not be counted']
  const { total: counted } = await database.queue.stats({ step: 'hour' })
  const names = ['succeeded', 'failed', 'retried'] as const
  const above = names.filter((name) => counted[name] > of[name])
  const lacking = names.reduce((sum, name) => sum + of[name] - counted[name], 0)
  return [
    ...above.map((name) => `${counted[name]} are counted as ${name}, and ${of[name]} have`),
    ...(lacking > of.missing
      ? [`${lacking} ends are not counted, and killed processes can have taken ${of.missing} along`]
      : []),
  ]
}
