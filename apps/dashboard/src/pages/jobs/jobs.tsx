import { type Job, type JobFilter, isEnded, jobStatuses } from '@queue/client'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type ReactElement, useCallback } from 'react'
import { useActs } from '../../acts/acts.tsx'
import { canCancel, canRequeue, cancelAct, requeueAct } from '../../acts/job-acts.ts'
import { jobsActs } from '../../acts/many-acts.ts'
import { useExpected } from '../../api/expected.ts'
import { lists, queries } from '../../api/queries.ts'
import { useList } from '../../api/use-list.ts'
import { type JobFieldName, useJobFields } from '../../finding/job-fields.ts'
import { jobsRoute } from '../../routes.ts'
import { type JobSearch, jobFilter, jobSearch } from '../../search.ts'
import { Needs, useMay } from '../../shell/me.tsx'
import { BulkBar } from '../../ui/bulk-bar.tsx'
import { Button, Page } from '../../ui/controls.tsx'
import { Empty } from '../../ui/feedback.tsx'
import { FilterBar } from '../../ui/filter-bar.tsx'
import { formatCount } from '../../ui/format.ts'
import { ListFrame } from '../../ui/list-frame.tsx'
import { stateLooks } from '../../ui/states.tsx'
import ui from '../../ui/ui.module.css'
import { useSelection } from '../../ui/use-selection.ts'
import { ColumnsMenu, useJobColumns } from './job-columns.tsx'
import { JobTable } from './job-table.tsx'
import styles from './jobs.module.css'
import { Peek } from './peek.tsx'

export function Jobs(): ReactElement {
  return (
    <Needs permission="jobs:read">
      <JobsPage />
    </Needs>
  )
}

function JobsPage() {
  const search = jobsRoute.useSearch()
  const navigate = jobsRoute.useNavigate()
  const change = useCallback(
    (name: keyof JobSearch, value: string | undefined) =>
      void navigate({ search: (before) => ({ ...before, [name]: value }), replace: name === 'peek' }),
    [navigate],
  )
  const changeAll = (changes: Readonly<Record<string, string | undefined>>): void =>
    void navigate({ search: (before) => jobSearch({ ...before, ...changes }) })
  const { peek, cols, ...filter } = search
  const list = useList<Job>(lists.jobs(jobFilter(search)))
  const rows = useExpected('job', list.rows)
  const selection = useSelection(rows)
  const fields = useJobFields(list)
  const tools = { ...fields, values: filter, change, changeAll }
  const columns = useJobColumns(cols)
  const actions = (
    <>
      <ColumnsMenu jobs={list.rows} cols={cols} change={(next) => change('cols', next)} />
      <ActOnAll filter={jobFilter(search)} />
    </>
  )
  return (
    <Page title="Jobs" subtitle="Newest first" actions={actions}>
      <FilterBar<JobFieldName>
        {...tools}
        help={() => `Fields: ${fields.names.join(', ')}, metadata.<name>. A full job id opens the job.`}
        openJob={(id) => void navigate({ to: '/jobs/$id', params: { id } })}
        placeholder="Search, for example tenant:acme status:queued, a value, or a job id"
      />
      <StateTabs search={filter} cols={cols} />
      <div className={peek === undefined ? '' : styles['beside']}>
        <div className={styles['list']}>
          <ListFrame list={list} noun="jobs" empty={<NoJobs isFiltered={Object.keys(filter).length > 0} />}>
            {() => (
              <JobTable rows={rows} outdated={list.outdated} {...{ selection, columns, peek, change }} />
            )}
          </ListFrame>
        </div>
        {peek !== undefined && <Peek id={peek} close={() => change('peek', undefined)} />}
      </div>
      <Bulk jobs={selection.selected} clear={selection.clear} />
    </Page>
  )
}

/** The states as tabs with the number of live jobs. Ended jobs are not counted, because that would be expensive. */
function StateTabs({ search, cols }: { readonly search: JobSearch; readonly cols: string | undefined }) {
  const { data } = useQuery(queries.queues)
  const { status: current, ...filter } = search
  const { queue, ...others } = filter
  const counted = data?.filter(({ name }) => queue === undefined || name === queue) ?? []
  // The counts are per queue, so they do not apply with other filters.
  const isCounted = Object.keys(others).length === 0
  const countOf = (status: string): number | undefined => {
    if (isEnded({ status: status as Job['status'] }) || !isCounted) return undefined
    return counted.reduce(
      (sum, { depth }) => sum + ((depth as Readonly<Record<string, number>>)[status] ?? 0),
      0,
    )
  }
  const kept = { ...filter, ...(cols !== undefined && { cols }) }
  return (
    <nav className={ui['tabs']} aria-label="States">
      <Link
        to="/jobs"
        search={kept}
        activeOptions={{ exact: true }}
        className={ui['tab'] ?? ''}
        data-current={current === undefined}
      >
        All
      </Link>
      {jobStatuses.map((status) => {
        const { icon: Icon, word } = stateLooks[status]
        const count = countOf(status)
        return (
          <Link
            key={status}
            to="/jobs"
            search={{ ...kept, status }}
            activeOptions={{ exact: true }}
            className={ui['tab'] ?? ''}
            data-current={current === status}
          >
            <Icon size={14} aria-hidden />
            {word}
            {count !== undefined && <span className={ui['muted']}>{formatCount(count)}</span>}
          </Link>
        )
      })}
    </nav>
  )
}

function NoJobs({ isFiltered }: { readonly isFiltered: boolean }) {
  if (isFiltered) {
    return (
      <Empty title="No matching jobs">
        <Link to="/jobs">Clear filters</Link>
      </Empty>
    )
  }
  return (
    <Empty title="No jobs yet">
      <code className={ui['snippet']}>{"await queue.enqueue(sendInvoice, { invoice_id: 'i_1' })"}</code>
    </Empty>
  )
}

/** Bulk actions for all jobs that match the filter, not only for the loaded ones. */
function ActOnAll({ filter }: { readonly filter: JobFilter }) {
  const may = useMay()
  const { confirmMany } = useActs()
  if (!may('jobs:control') && !may('jobs:delete')) return null
  const openSheet = (): void => confirmMany(jobsActs(filter).filter(({ permission }) => may(permission)))
  return (
    <Button data-key="a" onClick={openSheet}>
      Act on all matches
    </Button>
  )
}

function Bulk({ jobs, clear }: { readonly jobs: readonly Job[]; readonly clear: () => void }) {
  const may = useMay()
  const { confirm } = useActs()
  if (!may('jobs:control')) return null
  const cancellable = jobs.filter(({ status }) => canCancel(status))
  const requeueable = jobs.filter(canRequeue)
  return (
    <BulkBar count={jobs.length} clear={clear}>
      {requeueable.length > 0 && (
        <Button data-key="r" onClick={() => confirm(requeueAct(requeueable))}>
          Requeue {requeueable.length}
        </Button>
      )}
      {cancellable.length > 0 && (
        <Button look="danger" data-key="c" onClick={() => confirm(cancelAct(cancellable))}>
          Cancel {cancellable.length}
        </Button>
      )}
    </BulkBar>
  )
}
