import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { Job } from '@queue/client'
import { queries } from '../api/queries.ts'
import { useNowMs } from '../shell/clock.ts'
import { formatSpan, plural } from '../ui/format.ts'
import { Stack } from '../ui/stack.tsx'
import { Time } from '../ui/time.tsx'
import { JobWhy, RunningWhy } from './job-why.tsx'
import styles from './job.module.css'

/** The first thing to know of a job, by its state. */
export function JobVerdict({ job }: { readonly job: Job }) {
  return (
    <section className={styles['verdict']} data-state={job.status} aria-label="Verdict">
      <Verdict job={job} />
    </section>
  )
}

function Verdict({ job }: { readonly job: Job }) {
  switch (job.status) {
    case 'queued':
    case 'retrying':
      return <Waiting job={job} />
    case 'running':
      return <Running job={job} />
    case 'failed_permanent':
      return (
        <>
          <b>Failed for good after {job.attempts === 1 ? 'one attempt' : `${job.attempts} attempts`}.</b>
          <Stack label="Error" text={job.last_error ?? ''} />
          <SeenBefore job={job} />
        </>
      )
    case 'succeeded':
      return (
        <b>
          Succeeded{' '}
          {job.finished_at === null
            ? ''
            : `in ${formatSpan(Date.parse(job.finished_at) - Date.parse(job.created_at))}`}
          .
        </b>
      )
    case 'cancelled':
      return (
        <b>
          {job.cancel_reason === 'expired'
            ? 'It had not begun when it expired.'
            : 'Cancelled before it was done.'}
        </b>
      )
  }
}

/** Why it does not start; before another attempt, also how the last one failed. */
function Waiting({ job }: { readonly job: Job }) {
  return (
    <>
      <JobWhy job={job} />
      {job.status === 'retrying' && job.last_error !== null && (
        <>
          <Stack label="Error of the last attempt" text={job.last_error} />
          <SeenBefore job={job} />
        </>
      )}
    </>
  )
}

/** How often its last failure was seen, and since when. */
function SeenBefore({ job }: { readonly job: Job }) {
  const executions = useQuery(queries.executions(job.id))
  const fingerprint = executions.data?.findLast((attempt) => attempt.fingerprint !== null)?.fingerprint
  if (fingerprint === undefined || fingerprint === null) return null
  return <CauseSummary fingerprint={fingerprint} />
}

function CauseSummary({ fingerprint }: { readonly fingerprint: string }) {
  const { data } = useQuery(queries.errors({ fingerprint }))
  const groups = data?.data ?? []
  const count = groups.reduce((sum, group) => sum + group.count, 0)
  const [first] = groups.toSorted((a, b) => a.first_seen_at.localeCompare(b.first_seen_at))
  if (first === undefined) return null
  return (
    <Link to="/errors/$fingerprint" params={{ fingerprint }}>
      {plural(count, 'failure')} like this since {first.first_version !== null && `${first.first_version}, `}
      <Time at={first.first_seen_at} plain />
    </Link>
  )
}

function Running({ job }: { readonly job: Job }) {
  const nowMs = useNowMs()
  const since =
    job.locked_at === null ? '' : ` for ${formatSpan(Math.max(0, nowMs - Date.parse(job.locked_at)))}`
  return (
    <>
      <b>
        {job.cancel_requested ? 'It was asked to stop, and runs on' : 'It runs'}
        {since}.
      </b>
      {job.progress !== null && (
        <div className={styles['progress']}>
          <progress max={100} value={job.progress} aria-label="Progress" />
          <span>
            {job.progress} % {job.progress_message}
          </span>
        </div>
      )}
      <RunningWhy job={job} />
    </>
  )
}
