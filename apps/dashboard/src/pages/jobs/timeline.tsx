import type { Execution, Job } from '@queue/client'
import { formatSpan } from '../../ui/format.ts'
import { Time } from '../../ui/time.tsx'
import { attemptSpans } from './attempt-spans.ts'
import styles from './job.module.css'

interface TimelineProps {
  readonly job: Job
  readonly attempts: readonly Execution[]
}

/** The history of a job from left to right: each wait, and each attempt with its outcome. */
export function Timeline({ job, attempts }: TimelineProps) {
  return (
    <ol className={styles['timeline']} aria-label="Timeline" tabIndex={0}>
      <li>
        <b>Created</b>
        <Time at={job.created_at} />
      </li>
      {attemptSpans(job, attempts).map(({ attempt, waitedMs, ranMs }) => (
        <li key={attempt.lease_token} data-outcome={attempt.outcome}>
          <span className={styles['gap']}>{formatSpan(waitedMs)}</span>
          <b>
            #{attempt.attempt} {attempt.outcome}
          </b>
          <span>ran {formatSpan(ranMs)}</span>
        </li>
      ))}
      {job.status === 'running' && job.locked_at !== null && (
        <li data-outcome="running">
          <b>#{job.attempts} running</b>
          <Time at={job.locked_at} />
        </li>
      )}
      {(job.status === 'queued' || job.status === 'retrying') && (
        <li>
          <b>Next attempt</b>
          <Time at={job.run_at} />
        </li>
      )}
    </ol>
  )
}
