import type { UseQueryResult } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { Job, JobList } from '@queue/client'
import type { JobSearch } from '../search.ts'
import { useMay } from '../shell/me.tsx'
import { Card } from '../ui/controls.tsx'
import { Empty, Loaded } from '../ui/feedback.tsx'
import { shortId } from '../ui/format.ts'
import { Time } from '../ui/time.tsx'
import ui from '../ui/ui.module.css'

interface JobsInHandProps {
  readonly query: UseQueryResult<JobList>
  /** Which running jobs these are: those of a worker, or of a queue. */
  readonly search: Pick<JobSearch, 'worker' | 'queue'>
  /** What is said where there are none. */
  readonly none: string
}

/** The running jobs of a worker or of a queue, the newest first. */
export function JobsInHand({ query, search, none }: JobsInHandProps) {
  const all = (
    <Link to="/jobs" search={search}>
      {search.worker === undefined ? 'All jobs of the queue' : 'All that it has run'}
    </Link>
  )
  return (
    <Card title="Jobs in hand" aside={all} flush>
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
                    There are more
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
  /** Whether they are one worker's, which then is not named; its queues are. */
  readonly isOfWorker: boolean
}

function JobTable({ jobs, isOfWorker }: JobTableProps) {
  const haveKeys = jobs.some(({ key }) => key !== null)
  return (
    <table className={ui['table']}>
      <thead>
        <tr>
          <th>Kind</th>
          <th>Id</th>
          <th>{isOfWorker ? 'Queue' : 'Worker'}</th>
          {haveKeys && <th>Key</th>}
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
            {haveKeys && <td data-label={job.key === null ? undefined : 'key'}>{job.key}</td>}
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

/** Whoever may not know workers has no page of one. */
function WorkerLink({ id }: { readonly id: string | null }) {
  const may = useMay()
  if (id === null || !may('ops:read')) return id
  return (
    <Link to="/workers/$id" params={{ id }} className={ui['mono'] ?? ''}>
      {id}
    </Link>
  )
}
