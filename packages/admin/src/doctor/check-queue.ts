import { type UnservedJobs, unservedJobsStatement } from '@queue/core/schema'
import { compiler, quoted } from '@queue/postgres'
import { type Check, countText, problem, ok, rowOf, rowsOf, durationText } from './finding.ts'

/** Expired leases and jobs without a worker are recovered within seconds; after this long it is a finding. */
const graceSeconds = 60

interface WorkerCounts {
  readonly active: number
  readonly lost: number
  readonly overdue: number
}

/** Whether workers run, and whether some were lost within the hour for which the registry remembers them. */
export const checkWorkers: Check = async (context) => {
  const counts = await rowOf<WorkerCounts>(
    context,
    `SELECT count(*) FILTER (WHERE state = 'active' AND lease_expires_at >= now())::int AS active,
            count(*) FILTER (WHERE state = 'lost')::int AS lost,
            count(*) FILTER (WHERE state = 'active' AND lease_expires_at < now() - $1 * interval '1 second')::int
              AS overdue
       FROM ${quoted(context.schema)}.workers`,
    [graceSeconds],
  )
  const details = { ...counts }
  if (counts.overdue > 0) {
    return problem('failure', {
      message: `${countText(counts.overdue, 'worker')} died more than ${graceSeconds} s ago and not marked lost: no worker runs recovery`,
      cure: 'start a worker: it takes their jobs over at once',
      details,
    })
  }
  if (counts.lost > 0) {
    return problem('warning', {
      message: `${countText(counts.lost, 'worker')} lost within the hour; ${counts.active} active`,
      cure: "look in their logs for `lease lost`, in the kernel's for a lack of memory, and at jobs with crashes > 0",
      details,
    })
  }
  if (counts.active > 0) return ok(`${counts.active} active, none lost within the hour`, details)
  return problem('warning', { message: 'no worker is active', cure: 'start a worker', details })
}

/** Whether jobs are in the state running without an active worker. */
export const checkOrphanedJobs: Check = async (context) => {
  const schema = quoted(context.schema)
  const { jobs, oldest_seconds } = await rowOf<{ jobs: number; oldest_seconds: number | null }>(
    context,
    `SELECT count(*)::int AS jobs, extract(epoch FROM now() - min(j.locked_at))::int AS oldest_seconds
       FROM ${schema}.jobs AS j LEFT JOIN ${schema}.workers AS w ON w.id = j.locked_by
      WHERE j.locked_by IS NOT NULL
        AND (w.id IS NULL OR w.state <> 'active' OR w.lease_expires_at < now())
        AND coalesce(w.lease_expires_at, j.locked_at) < now() - $1 * interval '1 second'`,
    [graceSeconds],
  )
  const details = { jobs, oldest_seconds }
  if (jobs === 0) return ok('every running job has an active worker', details)
  return problem('failure', {
    message: `${countText(jobs, 'job')} running without an active worker, the oldest claimed ${durationText(oldest_seconds ?? 0)} ago: nobody recovers them`,
    cure: 'start a worker: it takes them over at once',
    details,
  })
}

/**
 * Whether jobs are due that no active worker takes: none serves their queue, or none has a handler for their kind and its
 * version.
 */
export const checkUnservedJobs: Check = async (context) => {
  const { sql, parameters } = unservedJobsStatement(context.schema).compile(compiler)
  const unserved = await rowsOf<UnservedJobs>(context, sql, parameters)
  const details = { unserved: unserved.map((one) => ({ ...one })) }
  if (unserved.length === 0) return ok('every due job has an active worker that takes it', details)
  return problem('warning', {
    message: unserved.slice(0, unservedShownMax).map(describeUnserved).join('; '),
    cure: 'start a worker with the queue in WORKER_QUEUES and a handler for the kind, or cancel the jobs',
    details,
  })
}

/** A message is one sentence; the details have all. */
const unservedShownMax = 5

function describeUnserved(unserved: UnservedJobs): string {
  const { queue, kind, version, jobs, oldest_seconds, queue_is_served } = unserved
  const what = version === 1 ? kind : `${kind}, version ${version}`
  const who = queue_is_served
    ? `no active worker has a handler for ${what}`
    : 'no active worker serves the queue'
  return `${countText(jobs, 'job')} of queue ${queue}, kind ${what}, due for ${durationText(oldest_seconds)}: ${who}`
}

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
    cure: 'POST /queues/{name}/resume, if that was not meant',
    details,
  })
}
