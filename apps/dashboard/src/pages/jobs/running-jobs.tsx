import type { Job, JobList } from '@queue/client'
import type { UseQueryResult } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { JobSearch } from '../../search.ts'
import { useMay } from '../../shell/me.tsx'
import { Card } from '../../ui/controls.tsx'
import { Empty, Loaded } from '../../ui/feedback.tsx'
import { shortId } from '../../ui/format.ts'
import { Time } from '../../ui/time.tsx'
import ui from '../../ui/ui.module.css'

interface RunningJobsProps {
  readonly query: UseQueryResult<JobList>
  /** The worker or the queue of the jobs. */
  readonly search: Pick<JobSearch, 'worker' | 'queue'>
  /** The text for an empty list. */
  readonly none: string
}

/** The running jobs of a worker or of a queue, the newest first. */
export function RunningJobs({ query, search, none }: RunningJobsProps) {
  const all = (
    <Link to="/jobs" search={search}>
      {search.worker === undefined ? 'View all jobs of this queue' : 'View in jobs'}
    </Link>
  )
  return (
    <Card title="Running jobs" aside={all} flush>
      <Loaded query={query}>
        {({ data, next_cursor: next }) =>
          data.length === 0 ? (
            <Empty title={none} />
          ) : (
            <>
              <JobTable jobs={data} isOfWorker={search.worker !== undefined} />
              {next !== null && (
                <p className={`${ui['hint']} ${ui['note']}`}>
                  <Link to="/jobs" search={{ ...search, status: 'running' }}>
                    View all running jobs
                  </Link>
                </p>
              )}
            </>
          )
        }
      </Loaded>
    </Card>
  )
}

interface JobTableProps {
  readonly jobs: readonly Job[]
  /** Whether the jobs belong to one worker. Then the table shows the queue instead of the worker. */
  readonly isOfWorker: boolean
}

function JobTable({ jobs, isOfWorker }: JobTableProps) {
  const hasKeyColumn = jobs.some(({ key }) => key !== null)
  return (
    <table className={ui['table']}>
      <thead>
        <tr>
          <th>Kind</th>
          <th>ID</th>
          <th>{isOfWorker ? 'Queue' : 'Worker'}</th>
          {hasKeyColumn && <th>Key</th>}
          <th className={ui['number']}>Attempts</th>
          <th>Started</th>
          <th>Progress</th>
        </tr>
      </thead>
      <tbody>
        {jobs.map((job) => (
          <tr key={job.id} data-row>
            <td>
              <Link to="/jobs/$id" params={{ id: job.id }} className={ui['strong'] ?? ''}>
                {job.kind}
              </Link>
            </td>
            <td className={ui['mono']}>…{shortId(job.id)}</td>
            <td>{isOfWorker ? <QueueLink name={job.queue} /> : <WorkerLink id={job.locked_by} />}</td>
            {hasKeyColumn && <td data-label={job.key === null ? undefined : 'key'}>{job.key}</td>}
            <td className={ui['number']} data-label="attempts">
              {job.attempts}/{job.max_attempts}
            </td>
            <td data-label="started">{job.locked_at !== null && <Time at={job.locked_at} />}</td>
            <td data-label={job.progress === null ? undefined : 'progress'}>
              {job.progress !== null && `${job.progress} %`} {job.progress_message}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function QueueLink({ name }: { readonly name: string }) {
  return (
    <Link to="/queues/$name" params={{ name }}>
      {name}
    </Link>
  )
}

/** A link to the worker if the caller has permission for its page. */
function WorkerLink({ id }: { readonly id: string | null }) {
  const may = useMay()
  if (id === null || !may('ops:read')) return id
  return (
    <Link to="/workers/$id" params={{ id }} className={ui['mono'] ?? ''}>
      {id}
    </Link>
  )
}
