// Checks by the audit that each unique key had one holder at a time, and that each answer named a job of its key.
import type { UniqueAnswer } from '../run/unique-load.ts'
import type { World } from '../run/world.ts'

/** A job holds its key from its insert to its first claim, to its end, or beyond the run, in the order of the audit. */
const overlapsQuery = `
  WITH held AS (
    SELECT j.id, j.unique_key, min(a.seq) AS since,
           CASE j.unique_scope
             WHEN 'waiting' THEN min(a.seq) FILTER (WHERE a.from_status IS NOT NULL)
             WHEN 'live' THEN min(a.seq) FILTER (WHERE a.to_status IN ('succeeded', 'failed_permanent', 'cancelled'))
           END AS until
      FROM {schema}.jobs AS j JOIN chaos.audit AS a ON a.job_id = j.id
     WHERE j.unique_key IS NOT NULL GROUP BY j.id
  ), ordered AS (
    SELECT h.*, lead(h.id) OVER w AS next_id, lead(h.since) OVER w AS next_since
      FROM held AS h WINDOW w AS (PARTITION BY h.unique_key ORDER BY h.since)
  )
  SELECT unique_key, id, next_id FROM ordered WHERE next_since < coalesce(until, next_since + 1)`

const jobsQuery = 'SELECT id, unique_key FROM {schema}.jobs WHERE unique_key IS NOT NULL'

/** The faults of the unique keys of a finished run, in which nothing was requeued or deleted. */
export async function wrongUniqueKeys(
  { database }: Pick<World, 'database'>,
  answers: readonly UniqueAnswer[],
): Promise<string[]> {
  const read = async <Row extends object>(text: string): Promise<Row[]> => {
    const { rows } = await database.pool.query<Row>(text.replaceAll('{schema}', database.schema))
    return rows
  }
  const overlaps = await read<{ unique_key: string; id: string; next_id: string }>(overlapsQuery)
  const jobs = await read<{ id: string; unique_key: string }>(jobsQuery)
  const keys = new Map(jobs.map((job) => [job.id, job.unique_key]))
  return [
    ...overlaps.map(
      (overlap) =>
        `job ${overlap.next_id} got the unique key ${overlap.unique_key} while ${overlap.id} held it`,
    ),
    ...answers
      .filter(({ id, uniqueKey }) => keys.get(id) !== uniqueKey)
      .map(
        ({ id, uniqueKey }) =>
          `the answer for the unique key ${uniqueKey} names ${id}, which is not a job with this key`,
      ),
  ]
}

/** How often an answer named the holder, by scope, and how often a key was held again after it had become free. */
export function uniqueCounts(answers: readonly UniqueAnswer[]): Record<string, number> {
  const conflicts = (scope: string): number =>
    answers.filter((answer) => answer.isConflict && answer.scope === scope).length
  const reusable = answers.filter(({ isConflict, scope }) => !isConflict && scope !== 'window')
  return {
    'unique conflicts, waiting': conflicts('waiting'),
    'unique conflicts, live': conflicts('live'),
    'unique conflicts, window': conflicts('window'),
    'unique keys held again': reusable.length - new Set(reusable.map(({ uniqueKey }) => uniqueKey)).size,
  }
}
