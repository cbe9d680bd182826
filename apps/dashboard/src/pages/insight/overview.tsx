import type { Queue, Worker } from '@queue/client'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactElement } from 'react'
import { queries } from '../../api/queries.ts'
import { overviewRoute } from '../../routes.ts'
import { Needs, useMay } from '../../shell/me.tsx'
import { Card, Page } from '../../ui/controls.tsx'
import { Empty, Loaded } from '../../ui/feedback.tsx'
import { firstLine, formatCount } from '../../ui/format.ts'
import { QueueTable } from '../../ui/queue-table.tsx'
import { Time } from '../../ui/time.tsx'
import ui from '../../ui/ui.module.css'
import { AttentionList } from './attention-list.tsx'
import { Numbers } from './numbers.tsx'
import styles from './overview.module.css'

const shownSchedules = 6

/** The conditions that need attention, the numbers, the queues, the latest failures and the next runs. */
export function Overview(): ReactElement {
  return (
    <Needs permission="jobs:read">
      <OverviewPage />
    </Needs>
  )
}

function OverviewPage() {
  const may = useMay()
  const search = overviewRoute.useSearch()
  const navigate = overviewRoute.useNavigate()
  const queues = useQuery(queries.queues)
  return (
    <Page title="Overview">
      <AttentionList />
      <Loaded query={queues} rows={8}>
        {(data) => (
          <>
            <Figures queues={data} />
            <Numbers scope={{}} search={search} change={(to) => void navigate({ search: to })} />
            <Card title="Queues" flush>
              <QueueTable queues={data} />
            </Card>
          </>
        )}
      </Loaded>
      <div className={styles['columns']}>
        {may('dead_letters:read') && <LatestFailures />}
        {may('schedules:read') && <NextSchedules />}
      </div>
    </Page>
  )
}

function Figures({ queues }: { readonly queues: readonly Queue[] }) {
  const may = useMay()
  const workers = useQuery({ ...queries.workers, enabled: may('ops:read') })
  const sum = (of: (queue: Queue) => number): number => queues.reduce((total, queue) => total + of(queue), 0)
  const active = (workers.data ?? []).filter(({ state }) => state === 'active')
  const slots = (of: (worker: Worker) => number): number =>
    active.reduce((total, worker) => total + of(worker), 0)
  return (
    <ul className={styles['figures']}>
      <Figure name="Queued" value={sum(({ depth }) => depth.queued)} status="queued" />
      <Figure name="Running" value={sum(({ depth }) => depth.running)} status="running" />
      <Figure name="Retrying" value={sum(({ depth }) => depth.retrying)} status="retrying" />
      {may('ops:read') && (
        <li>
          <Link to="/workers">
            <span>Slots in use</span>
            <b>
              {formatCount(slots(({ running }) => running))}
              <small> of {formatCount(slots(({ concurrency }) => concurrency))}</small>
            </b>
          </Link>
        </li>
      )}
    </ul>
  )
}

interface FigureProps {
  readonly name: string
  readonly value: number
  readonly status: 'queued' | 'running' | 'retrying'
}

function Figure({ name, value, status }: FigureProps) {
  return (
    <li data-state={status}>
      <Link to="/jobs" search={{ status }}>
        <span>{name}</span>
        <b>{formatCount(value)}</b>
      </Link>
    </li>
  )
}

function LatestFailures() {
  const query = useQuery(queries.latestFailures)
  return (
    <Card title="Latest failures" aside={<Link to="/dead-letters">All dead letters</Link>} flush>
      <Loaded query={query}>
        {({ data }) =>
          data.length === 0 ? (
            <Empty title="No permanent failures" />
          ) : (
            <ul className={styles['list']}>
              {data.map(({ id, job_id: jobId, kind, last_error: error, dead_lettered_at: at }) => (
                <li key={id} data-row>
                  <Link to="/jobs/$id" params={{ id: jobId }}>
                    {kind}
                  </Link>
                  <span className={styles['line']}>{firstLine(error ?? '')}</span>
                  <span className={ui['muted']}>
                    <Time at={at} />
                  </span>
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
    </Card>
  )
}

function NextSchedules() {
  const query = useQuery(queries.schedules)
  return (
    <Card title="Next runs" aside={<Link to="/schedules">All schedules</Link>} flush>
      <Loaded query={query}>
        {(data) => {
          const due = data.flatMap((schedule) =>
            schedule.paused_at === null && schedule.next_run_at !== null
              ? [{ name: schedule.name, at: schedule.next_run_at, description: schedule.description }]
              : [],
          )
          if (due.length === 0) return <Empty title="No upcoming runs" />
          return (
            <ul className={styles['list']}>
              {due
                .toSorted((a, b) => a.at.localeCompare(b.at))
                .slice(0, shownSchedules)
                .map(({ name, at, description }) => (
                  <li key={name} data-row>
                    <Link to="/schedules/$name" params={{ name }}>
                      {name}
                    </Link>
                    <span className={styles['line']}>{description}</span>
                    <span className={ui['muted']}>
                      <Time at={at} />
                    </span>
                  </li>
                ))}
            </ul>
          )
        }}
      </Loaded>
    </Card>
  )
}
