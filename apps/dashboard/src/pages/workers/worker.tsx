import type { Worker } from '@queue/client'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactElement } from 'react'
import { queries } from '../../api/queries.ts'
import { workerRoute } from '../../routes.ts'
import { useNowMs } from '../../shell/clock.ts'
import { Needs, useMay } from '../../shell/me.tsx'
import { Card, Facts, Page } from '../../ui/controls.tsx'
import { Empty, Loaded } from '../../ui/feedback.tsx'
import { formatSpan, plural } from '../../ui/format.ts'
import { Time } from '../../ui/time.tsx'
import ui from '../../ui/ui.module.css'
import overview from '../insight/overview.module.css'
import { RunningJobs } from '../jobs/running-jobs.tsx'
import { Slots, WorkerState } from './worker-table.tsx'

/** One worker: its heartbeat and lease, the queues and kinds that it serves, and its running jobs. */
export function WorkerPage(): ReactElement {
  return (
    <Needs permission="ops:read">
      <LoadedWorker />
    </Needs>
  )
}

function LoadedWorker() {
  const { id } = workerRoute.useParams()
  const query = useQuery(queries.workers)
  return (
    <Loaded query={query}>
      {(workers) => {
        const worker = workers.find((one) => one.id === id)
        return worker === undefined ? <WorkerNotFound id={id} /> : <WorkerView worker={worker} />
      }}
    </Loaded>
  )
}

function WorkerNotFound({ id }: { readonly id: string }) {
  return (
    <Page title={id} subtitle="Worker">
      <Empty title="No worker with this ID in the last hour">
        <Link to="/jobs" search={{ worker: id }}>
          View its running jobs
        </Link>
        <Link to="/workers">All workers</Link>
      </Empty>
    </Page>
  )
}

function WorkerView({ worker }: { readonly worker: Worker }) {
  const {
    id,
    hostname,
    pid,
    version,
    zone_version: zoneVersion,
    queues,
    kinds,
    started_at: startedAt,
  } = worker
  return (
    <Page title={hostname} subtitle={`Worker ${id}`}>
      <div className={overview['columns']}>
        <Card title="Current state">
          <Facts
            facts={[
              ['State', <WorkerState key="s" worker={worker} />],
              ['Heartbeat', <Time key="h" at={worker.heartbeat_at} />],
              ['Lease', <Lease key="l" worker={worker} />],
              ['Slots', <Slots key="u" worker={worker} />],
              ['Started', <Time key="b" at={startedAt} />],
              ['Process', `${pid} on ${hostname}`],
              [
                'Version',
                <Link key="v" to="/jobs" search={{ worker_version: version, status: 'running' }}>
                  {version}
                </Link>,
              ],
              ['Time zone data', zoneVersion],
            ]}
          />
        </Card>
        <Card title="Serves">
          <Facts
            facts={[
              [
                plural(queues.length, 'queue'),
                <Names key="q" names={queues} to={(name) => ({ to: '/queues/$name', params: { name } })} />,
              ],
              [
                plural(kinds.length, 'kind'),
                <Names
                  key="k"
                  names={kinds}
                  to={(name) => ({ to: '/kinds/$kind', params: { kind: name.split('/', 1)[0] ?? name } })}
                />,
              ],
            ]}
          />
        </Card>
      </div>
      <WorkerJobs id={id} />
    </Page>
  )
}

/** How long the lease lasts, or since when it has expired. */
function Lease({ worker: { state, lease_expires_at: at } }: { readonly worker: Worker }) {
  const leftMs = Date.parse(at) - useNowMs()
  if (state === 'stopped') return 'Ended, because the worker stopped'
  if (state === 'lost') {
    return (
      <>
        Expired <Time at={at} />. Other workers recover its jobs.
      </>
    )
  }
  return leftMs > 0
    ? `${formatSpan(Math.floor(leftMs / 1_000) * 1_000)} left`
    : 'Expired. Other workers will recover its jobs soon.'
}

interface NamesProps {
  readonly names: readonly string[]
  readonly to: (
    name: string,
  ) =>
    | { readonly to: '/queues/$name'; readonly params: { readonly name: string } }
    | { readonly to: '/kinds/$kind'; readonly params: { readonly kind: string } }
}

function Names({ names, to }: NamesProps) {
  return (
    <ul className={ui['chips']}>
      {names.map((name) => (
        <li key={name}>
          <Link {...to(name)} className={ui['chip'] ?? ''}>
            {name}
          </Link>
        </li>
      ))}
    </ul>
  )
}

function WorkerJobs({ id }: { readonly id: string }) {
  const may = useMay()
  const query = useQuery({ ...queries.runningOfWorker(id), enabled: may('jobs:read') })
  if (!may('jobs:read')) return null
  return <RunningJobs query={query} search={{ worker: id }} none="No running jobs" />
}
