import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactElement } from 'react'
import type { Worker } from '@queue/client'
import { queries } from '../api/queries.ts'
import { workerRoute } from '../routes.ts'
import { useNowMs } from '../shell/clock.ts'
import { Needs, useMay } from '../shell/me.tsx'
import { Card, Facts, Page } from '../ui/controls.tsx'
import { Empty, Loaded } from '../ui/feedback.tsx'
import { formatSpan, plural } from '../ui/format.ts'
import { Time } from '../ui/time.tsx'
import ui from '../ui/ui.module.css'
import { JobsInHand } from './jobs-in-hand.tsx'
import overview from './overview.module.css'
import { Slots, WorkerState } from './worker-table.tsx'

/** One worker process: whether it is heard of, what it serves, and the jobs that it holds. */
export function WorkerPage(): ReactElement {
  return (
    <Needs permission="ops:read">
      <Found />
    </Needs>
  )
}

function Found() {
  const { id } = workerRoute.useParams()
  const query = useQuery(queries.workers)
  return (
    <Loaded query={query}>
      {(workers) => {
        const worker = workers.find((one) => one.id === id)
        return worker === undefined ? <NoWorker id={id} /> : <WorkerView worker={worker} />
      }}
    </Loaded>
  )
}

function NoWorker({ id }: { readonly id: string }) {
  return (
    <Page title={id} subtitle="worker">
      <Empty title="No worker of this id was heard of in the last hour">
        <Link to="/jobs" search={{ worker: id }}>
          Jobs that it has run
        </Link>
        <Link to="/workers">All workers</Link>
      </Empty>
    </Page>
  )
}

function WorkerView({ worker }: { readonly worker: Worker }) {
  const { id, hostname, pid, version, queues, kinds, started_at: startedAt } = worker
  return (
    <Page title={hostname} subtitle={`worker ${id}`}>
      <div className={overview['columns']}>
        <Card title="Now">
          <Facts
            facts={[
              ['State', <WorkerState key="s" worker={worker} />],
              ['Heartbeat', <Time key="h" at={worker.heartbeat_at} />],
              ['Lease', <Lease key="l" worker={worker} />],
              ['Slots', <Slots key="u" worker={worker} />],
              ['Started', <Time key="b" at={startedAt} />],
              ['Process', `${pid} on ${hostname}`],
              [
                'Release',
                <Link key="v" to="/jobs" search={{ worker_version: version, status: 'running' }}>
                  {version}
                </Link>,
              ],
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
      <Jobs id={id} />
    </Page>
  )
}

/** Until when its jobs are its own, or since when they are not. */
function Lease({ worker: { state, lease_expires_at: at } }: { readonly worker: Worker }) {
  const leftMs = Date.parse(at) - useNowMs()
  if (state === 'stopped') return 'given up: it has stopped'
  if (state === 'lost') {
    return (
      <>
        ran out <Time at={at} />: its jobs are taken over
      </>
    )
  }
  return leftMs > 0
    ? `${formatSpan(Math.floor(leftMs / 1_000) * 1_000)} left`
    : 'has run out: its jobs are taken over soon'
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

function Jobs({ id }: { readonly id: string }) {
  const may = useMay()
  const query = useQuery({ ...queries.runningOfWorker(id), enabled: may('jobs:read') })
  if (!may('jobs:read')) return null
  return <JobsInHand query={query} search={{ worker: id }} none="It holds no job" />
}
