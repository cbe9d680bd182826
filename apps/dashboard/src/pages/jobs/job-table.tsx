import { type Job, isEnded } from '@queue/client'
import { Link } from '@tanstack/react-router'
import { PanelRight } from 'lucide-react'
import { memo } from 'react'
import type { Shown } from '../../api/expected.ts'
import { type JobSearch, metadataPrefix } from '../../search.ts'
import { useMay } from '../../shell/me.tsx'
import { IconButton } from '../../ui/controls.tsx'
import { firstLine, formatSpan, shortId } from '../../ui/format.ts'
import { RowGroups } from '../../ui/row-groups.tsx'
import { SelectAll } from '../../ui/select-all.tsx'
import { StatePill, Unconfirmed } from '../../ui/states.tsx'
import { Time } from '../../ui/time.tsx'
import ui from '../../ui/ui.module.css'
import type { Selection } from '../../ui/use-selection.ts'
import type { JobColumn } from './job-columns.tsx'
import styles from './jobs.module.css'

interface JobTableProps {
  readonly rows: readonly Shown<Job>[]
  /** The ids of rows that no longer match the filter. */
  readonly outdated: ReadonlySet<string>
  readonly selection: Selection<Job>
  readonly columns: readonly JobColumn[]
  readonly peek: string | undefined
  readonly change: (name: keyof JobSearch, value: string | undefined) => void
}

export function JobTable({ rows, outdated, selection, columns, peek, change }: JobTableProps) {
  const selectable = useMay()('jobs:control')
  return (
    <div className={`${ui['card']} ${styles['jobs']} ${columns.length === 0 ? '' : styles['broad']}`}>
      <table className={ui['table']}>
        <thead>
          <tr>
            {selectable && <SelectAll selection={selection} />}
            <th>State</th>
            <th>Kind</th>
            <th>ID</th>
            <th>Queue</th>
            <th className={ui['number']}>Attempts</th>
            <th>Created</th>
            <th>Timing</th>
            {columns.map(({ name, title }) => (
              <th key={name}>{title}</th>
            ))}
            <th>Error</th>
            <th className={ui['act']}>
              <span className="visually-hidden">Preview</span>
            </th>
          </tr>
        </thead>
        <RowGroups rows={rows}>
          {(job) => (
            <JobRow
              key={job.id}
              job={job}
              columns={columns}
              isOutdated={outdated.has(job.id)}
              selected={selection.ids.has(job.id)}
              toggle={selectable ? selection.toggle : undefined}
              isPeeked={peek === job.id}
              change={change}
            />
          )}
        </RowGroups>
      </table>
    </div>
  )
}

interface JobRowProps extends Pick<JobTableProps, 'columns' | 'change'> {
  readonly job: Shown<Job>
  readonly isOutdated: boolean
  readonly selected: boolean
  readonly toggle: ((id: string) => void) | undefined
  readonly isPeeked: boolean
}

/** Memoized, because a list can have ten thousand rows. */
const JobRow = memo(function JobRow({
  job,
  columns,
  isOutdated,
  selected,
  toggle,
  isPeeked,
  change,
}: JobRowProps) {
  const { id, kind, queue, status } = job
  return (
    <tr data-row={id} data-selected={selected || isPeeked} data-left={isOutdated}>
      {toggle !== undefined && (
        <td className={ui['check']}>
          <input
            type="checkbox"
            aria-label={`Select ${kind} ${shortId(id)}`}
            checked={selected}
            onChange={() => toggle(id)}
          />
        </td>
      )}
      <td className={ui['state']}>
        <StatePill status={status} cancelling={job.cancel_requested} /> <Unconfirmed row={job} />
        {isOutdated && <span className={styles['left']}>no longer matches</span>}
      </td>
      <td className={styles['named']}>
        <Link to="/jobs/$id" params={{ id }} className={styles['kind'] ?? ''}>
          {kind}
        </Link>
        <FirstMember metadata={job.metadata} />
      </td>
      <td className={`${ui['mono']} ${styles['id']}`}>{shortId(id)}</td>
      <td>
        <Link to="/jobs" search={(before: JobSearch) => ({ ...before, queue })}>
          {queue}
        </Link>
      </td>
      <td className={`${ui['number']} ${job.attempts > 1 ? '' : styles['few']}`} data-label="attempts">
        {job.attempts}/{job.max_attempts}
      </td>
      <td>
        <Time at={job.created_at} />
      </td>
      <td data-label={isEnded(job) ? 'took' : status === 'running' ? 'started' : 'due'}>{spanOf(job)}</td>
      {columns.map(({ name, title, cell }) => (
        <td key={name} className={styles['chosen']} data-label={title}>
          {cell(job)}
        </td>
      ))}
      <td className={`${ui['wide']} ${ui['muted']}`}>
        {job.last_error === null ? '' : firstLine(job.last_error)}
      </td>
      <td className={ui['act']}>
        <IconButton
          label={`Preview ${kind} ${shortId(id)}`}
          data-key=" "
          aria-pressed={isPeeked}
          onClick={() => change('peek', isPeeked ? undefined : id)}
        >
          <PanelRight size={16} aria-hidden />
        </IconButton>
      </td>
    </tr>
  )
})

/** The first metadata member, which distinguishes a job from others of its kind. */
function FirstMember({ metadata }: Pick<Job, 'metadata'>) {
  const [first] = Object.entries(metadata ?? {})
  if (first === undefined) return null
  const [name, value] = first
  return (
    <>
      {' '}
      <Link
        to="/jobs"
        search={(before: JobSearch) => ({ ...before, [`${metadataPrefix}${name}`]: String(value) })}
        className={styles['member'] ?? ''}
      >
        {name}: {String(value)}
      </Link>
    </>
  )
}

/** The duration from creation to end; the start of a running job; the due time of a waiting job. */
function spanOf(job: Job) {
  if (isEnded(job)) {
    return job.finished_at === null
      ? ''
      : formatSpan(Date.parse(job.finished_at) - Date.parse(job.created_at))
  }
  if (job.status === 'running' && job.locked_at !== null) return <Time at={job.locked_at} />
  return <Time at={job.run_at} />
}
