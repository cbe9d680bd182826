import { lockedOut, lockedTransaction, quoted, type RunnerClient } from '@queue/postgres'

/** The queues that were paused after a restore. */
export interface QueuePauses {
  /** The names of the queues that were not paused before, including those that no worker has served yet. */
  readonly paused: readonly string[]
  readonly alreadyPaused: readonly string[]
}

/**
 * Pauses every queue, including queues with jobs that no worker has served yet. Once it has resolved, no claim commits: a
 * claim holds a share lock on its queues.
 */
export function pauseAll(runner: RunnerClient): Promise<QueuePauses> {
  const queues = `${quoted(runner.schema)}.queues`
  return lockedTransaction(runner, {
    body: async () => {
      const before = await readPause(runner)
      await runner.client.query(`${queuesWithJobs(runner)}
        INSERT INTO ${queues} (name, paused_at) SELECT q.name, now() FROM live AS q ON CONFLICT DO NOTHING`)
      await runner.client.query(`
        WITH open AS MATERIALIZED (SELECT name FROM ${queues} WHERE paused_at IS NULL ORDER BY name FOR UPDATE)
        UPDATE ${queues} AS q SET paused_at = now() FROM open AS o WHERE q.name = o.name`)
      return before
    },
    onWait: () => undefined,
    lockedOut: (error) => lockedOut('the pause of the queues', error),
  })
}

/** Which queues would be paused, and which already are. */
export async function readPause(runner: RunnerClient): Promise<QueuePauses> {
  const { rows } = await runner.client.query<{ name: string; paused: boolean }>(`${queuesWithJobs(runner)}
    SELECT name, bool_or(paused) AS paused
      FROM (SELECT name, paused_at IS NOT NULL AS paused FROM ${quoted(runner.schema)}.queues
            UNION ALL SELECT name, false FROM live) AS q
     GROUP BY name ORDER BY name`)
  const named = (paused: boolean): string[] =>
    rows.filter((row) => row.paused === paused).map(({ name }) => name)
  return { paused: named(false), alreadyPaused: named(true) }
}

/** The queues that have waiting or running jobs, found by one index lookup each. */
function queuesWithJobs({ schema }: RunnerClient): string {
  const waiting = `${quoted(schema)}.jobs AS j WHERE j.status IN ('queued', 'retrying')`
  return `
    WITH RECURSIVE walk (name) AS (
      (SELECT j.queue FROM ${waiting} ORDER BY j.queue LIMIT 1)
      UNION ALL
      SELECT (SELECT j.queue FROM ${waiting} AND j.queue > w.name ORDER BY j.queue LIMIT 1)
        FROM walk AS w WHERE w.name IS NOT NULL
    ), live AS (
      SELECT name FROM walk WHERE name IS NOT NULL
      UNION SELECT j.queue FROM ${quoted(schema)}.jobs AS j WHERE j.locked_by IS NOT NULL
    )`
}
