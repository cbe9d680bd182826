import type { Job } from '@queue/client'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { queries } from '../../api/queries.ts'
import { useNowMs } from '../../shell/clock.ts'
import { formatSpan, plural } from '../../ui/format.ts'
import { Stack } from '../../ui/stack.tsx'
import { Time } from '../../ui/time.tsx'
import { JobWhy, RunningWhy } from '../insight/job-why.tsx'
import styles from './job.module.css'

/** The most important information about a job, by its state. */
export function JobVerdict({ job }: { readonly job: Job }) {
  return (
    <section className={styles['verdict']} data-state={job.status} aria-label="Status">
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
          <b>Failed permanently after {plural(job.attempts, 'attempt')}.</b>
          <Stack label="Error" text={job.last_error ?? ''} />
          <LastErrorGroup job={job} />
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
            ? 'Cancelled: the job had not started by its expiry.'
            : 'Cancelled.'}
        </b>
      )
  }
}

/** Why the job does not start, and for a retrying job the last error. */
function Waiting({ job }: { readonly job: Job }) {
  return (
    <>
      <JobWhy job={job} />
      {job.status === 'retrying' && job.last_error !== null && (
        <>
          <Stack label="Error of the last attempt" text={job.last_error} />
          <LastErrorGroup job={job} />
        </>
      )}
    </>
  )
}

/** The error group of the last failure. */
function LastErrorGroup({ job }: { readonly job: Job }) {
  const executions = useQuery(queries.executions(job.id))
  const fingerprint = executions.data?.findLast((attempt) => attempt.fingerprint !== null)?.fingerprint
  if (fingerprint === undefined || fingerprint === null) return null
  return <ErrorGroupSummary fingerprint={fingerprint} />
}

/** How many failures the error group has, and since when. */
function ErrorGroupSummary({ fingerprint }: { readonly fingerprint: string }) {
  const { data } = useQuery(queries.errors({ fingerprint }))
  const groups = data?.data ?? []
  const count = groups.reduce((sum, group) => sum + group.count, 0)
  const [first] = groups.toSorted((a, b) => a.first_seen_at.localeCompare(b.first_seen_at))
  if (first === undefined) return null
  return (
    <Link to="/errors/$fingerprint" params={{ fingerprint }}>
      {plural(count, 'failure')} like this since{' '}
      {first.first_version !== null && `version ${first.first_version}, `}
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
        {job.cancel_requested ? 'Cancel requested, still running' : 'Running'}
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
