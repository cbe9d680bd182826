import { liveWorkerText, type UnservedJobs, unservedJobsStatement } from '@queue/core/internal'
import { compiler, quoted } from '@queue/postgres'
import { type Check, countText, problem, ok, rowOf, rowsOf, durationText } from './finding.ts'

/** Recovery takes seconds. An expired lease or an orphaned job older than this, in seconds, is a finding. */
const graceSeconds = 60

/** A worker that was lost longer ago, in seconds, is no finding. The registry keeps workers as long while another one prunes it. */
const lostSeconds = 3_600

interface WorkerCounts {
  readonly active: number
  readonly lost: number
  readonly overdue: number
}

/** Whether workers live, and whether some were lost within the last hour. */
export const checkWorkers: Check = async (context) => {
  const counts = await rowOf<WorkerCounts>(
    context,
    `SELECT count(*) FILTER (WHERE ${liveWorkerText})::int AS active,
            count(*) FILTER (WHERE w.state <> 'stopped' AND NOT (${liveWorkerText})
              AND w.lease_expires_at >= now() - $2 * interval '1 second')::int AS lost,
            count(*) FILTER (WHERE w.state = 'active' AND w.lease_expires_at < now() - $1 * interval '1 second')::int
              AS overdue
       FROM ${quoted(context.schema)}.workers AS w`,
    [graceSeconds, lostSeconds],
  )
  const details = { ...counts }
  if (counts.overdue > 0) {
    return problem('failure', {
      message: `the lease of ${countText(counts.overdue, 'worker')} expired more than ${graceSeconds} s ago and recovery has not run`,
      cure: 'start a worker: it recovers their jobs at once',
      details,
    })
  }
  if (counts.active === 0) {
    const lost = counts.lost > 0 ? `; ${countText(counts.lost, 'worker')} lost within the last hour` : ''
    return problem('warning', { message: `no worker is active${lost}`, cure: 'start a worker', details })
  }
  if (counts.lost > 0) {
    return problem('warning', {
      message: `${countText(counts.lost, 'worker')} lost within the last hour; ${counts.active} active`,
      cure: 'search their logs for `lease lost` and the kernel log for the OOM killer, and list jobs with crashes > 0',
      details,
    })
  }
  return ok(`${counts.active} active, none lost within the last hour`, details)
}

/** Whether the active workers have the same time zone data. Schedules fire once in any case, but perhaps an hour off. */
export const checkZoneData: Check = async (context) => {
  const { versions } = await rowOf<{ versions: string[] }>(
    context,
    `SELECT coalesce(array_agg(DISTINCT w.zone_version ORDER BY w.zone_version), '{}') AS versions
       FROM ${quoted(context.schema)}.workers AS w WHERE ${liveWorkerText}`,
  )
  const details = { versions }
  if (versions.length < 2) return ok('all active workers have the same time zone data', details)
  return problem('warning', {
    message: `the active workers have different time zone data: ${versions.join(', ')}`,
    cure: 'run all workers on the same release of Node: schedules in a zone whose rules have changed fire at the time of the worker that fires them',
    details,
  })
}

/** A slow claim that was noted longer ago, in seconds, is no finding. */
const slowClaimSeconds = 900

/** Whether claims took a second or longer within the last minutes. */
export const checkClaims: Check = async (context) => {
  const { workers, slowest_ms } = await rowOf<{ workers: number; slowest_ms: number | null }>(
    context,
    `SELECT count(*)::int AS workers, max(w.slow_claim_ms) AS slowest_ms FROM ${quoted(context.schema)}.workers AS w
      WHERE w.slow_claim_at >= now() - $1 * interval '1 second'`,
    [slowClaimSeconds],
  )
  const details = { workers, slowest_ms }
  const period = `within the last ${durationText(slowClaimSeconds)}`
  if (slowest_ms === null) return ok(`no claim took a second or longer ${period}`, details)
  return problem('warning', {
    message: `claims of ${countText(workers, 'worker')} took up to ${(slowest_ms / 1_000).toFixed(1)} s ${period}`,
    cure: 'see docs/runbooks/queue-claims-slow.md: find out whether they wait for a lock, for the processor or for a plan',
    details,
  })
}

/** Whether jobs are in the state running without an active worker. */
export const checkOrphanedJobs: Check = async (context) => {
  const schema = quoted(context.schema)
  const { jobs, oldest_seconds } = await rowOf<{ jobs: number; oldest_seconds: number | null }>(
    context,
    `SELECT count(*)::int AS jobs, extract(epoch FROM now() - min(j.locked_at))::int AS oldest_seconds
       FROM ${schema}.jobs AS j LEFT JOIN ${schema}.workers AS w ON w.id = j.locked_by
      WHERE j.locked_by IS NOT NULL
        AND (w.id IS NULL OR NOT (${liveWorkerText}))
        AND coalesce(w.lease_expires_at, j.locked_at) < now() - $1 * interval '1 second'`,
    [graceSeconds],
  )
  const details = { jobs, oldest_seconds }
  if (jobs === 0)
    return ok(`no job has been without an active worker for more than ${graceSeconds} s`, details)
  return problem('failure', {
    message: `${countText(jobs, 'job')} running without an active worker, the oldest claimed ${durationText(oldest_seconds ?? 0)} ago, and recovery has not run`,
    cure: 'start a worker: it recovers them at once',
    details,
  })
}

/**
 * Whether jobs are due that no active worker can claim: none serves their queue, or none has a handler for their kind and
 * its version.
 */
export const checkUnservedJobs: Check = async (context) => {
  const { sql, parameters } = unservedJobsStatement(context.schema).compile(compiler)
  const unserved = await rowsOf<UnservedJobs>(context, sql, parameters)
  const details = { unserved: unserved.map((jobs) => ({ ...jobs })) }
  if (unserved.length === 0)
    return ok(
      'no job has been due for more than a minute without an active worker that can claim it',
      details,
    )
  return problem('warning', {
    message: unserved.slice(0, unservedShownMax).map(describeUnserved).join('; '),
    cure: 'start a worker with the queue in WORKER_QUEUES and a handler for the kind, or cancel the jobs',
    details,
  })
}

/** A message names this many groups of jobs; the details have all of them. */
const unservedShownMax = 5

function describeUnserved(unserved: UnservedJobs): string {
  const { queue, kind, version, jobs, oldest_seconds, queue_is_served } = unserved
  const versionedKind = version === 1 ? kind : `${kind}, version ${version}`
  const reason = queue_is_served
    ? `no active worker has a handler for ${versionedKind}`
    : 'no active worker serves the queue'
  return `${countText(jobs, 'job')} of queue ${queue}, kind ${versionedKind}, due for ${durationText(oldest_seconds)}: ${reason}`
}

/** Whether queues are paused. */
export const checkPausedQueues: Check = async (context) => {
  const paused = await rowsOf<{ name: string; seconds: number }>(
    context,
    `SELECT name, extract(epoch FROM now() - paused_at)::int AS seconds FROM ${quoted(context.schema)}.queues
      WHERE paused_at IS NOT NULL ORDER BY paused_at`,
  )
  const details = { paused: paused.map(({ name, seconds }) => ({ name, seconds })) }
  if (paused.length === 0) return ok('none', details)
  return problem('warning', {
    message: paused.map(({ name, seconds }) => `${name} for ${durationText(seconds)}`).join(', '),
    cure: 'if the pause is not intended: POST /queues/{name}/resume',
    details,
  })
}

/** Days ahead below which the days of ended jobs are a finding. Workers make them a week ahead. */
const daysAheadLeast = 3

/** Whether the jobs of the next days find a day of ended jobs when they succeed. Without one they stay in `jobs`. */
export const checkEndedDays: Check = async (context) => {
  const { ahead } = await rowOf<{ ahead: number }>(
    context,
    `SELECT coalesce(greatest(0, extract(epoch FROM max(d.day) - date_trunc('day', now(), 'UTC')) / 86400), 0)::int AS ahead
       FROM ${quoted(context.schema)}.ended_days AS d`,
  )
  const details = { ahead }
  if (ahead >= daysAheadLeast)
    return ok(`there are days for the ended jobs of the next ${ahead} days`, details)
  return problem('warning', {
    message: `there are days for the ended jobs of the next ${countText(ahead, 'day')} only; later jobs stay in the table jobs when they succeed, and are removed from there one by one`,
    cure: `start a worker, which makes the days ahead, or run SELECT ${quoted(context.schema)}.turn_ended_days();`,
    details,
  })
}
