import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactElement } from 'react'
import type { Queue } from '@queue/client'
import { useActs } from '../acts/acts.tsx'
import { purgeAct } from '../acts/many-acts.ts'
import { queries } from '../api/queries.ts'
import { queueRoute } from '../routes.ts'
import type { QueueSearch } from '../search.ts'
import { Needs, useMay } from '../shell/me.tsx'
import { Button, Card, Facts, Page } from '../ui/controls.tsx'
import { DepthBar } from '../ui/depth-bar.tsx'
import { Empty, Loaded } from '../ui/feedback.tsx'
import { formatSpan, plural } from '../ui/format.ts'
import { PauseButton, QueueTable } from '../ui/queue-table.tsx'
import { stateLooks } from '../ui/states.tsx'
import { Time } from '../ui/time.tsx'
import ui from '../ui/ui.module.css'
import { QueueAttention } from './attention-list.tsx'
import { Numbers } from './numbers.tsx'
import overview from './overview.module.css'
import { QueueKeys } from './queue-keys.tsx'
import { QueueWhy } from './queue-why.tsx'
import { WorkerTable } from './worker-table.tsx'

export function Queues(): ReactElement {
  const query = useQuery(queries.queues)
  return (
    <Needs permission="jobs:read">
      <Page title="Queues">
        <Loaded query={query}>
          {(queues) => (
            <div className={ui['card']}>
              <QueueTable queues={queues} />
            </div>
          )}
        </Loaded>
      </Page>
    </Needs>
  )
}

export function QueuePage(): ReactElement {
  const { name } = queueRoute.useParams()
  const query = useQuery(queries.queues)
  return (
    <Needs permission="jobs:read">
      <Loaded query={query}>
        {(queues) => {
          const queue = queues.find((one) => one.name === name)
          return queue === undefined ? <NoQueue name={name} /> : <QueueView queue={queue} />
        }}
      </Loaded>
    </Needs>
  )
}

function NoQueue({ name }: { readonly name: string }) {
  return (
    <Page title={name}>
      <Empty title="No job waits here, and no worker serves it">
        <Link to="/jobs" search={{ queue: name }}>
          Its ended jobs
        </Link>
      </Empty>
    </Page>
  )
}

function QueueView({ queue }: { readonly queue: Queue }) {
  const { name } = queue
  const { tab } = queueRoute.useSearch()
  return (
    <Page
      title={name}
      subtitle="queue"
      actions={
        <>
          <PauseButton queue={queue} />
          <PurgeButton name={name} />
        </>
      }
    >
      <QueueAttention name={name} />
      <Tabs name={name} tab={tab} />
      {tab === 'keys' ? <QueueKeys queue={name} /> : <QueueNow queue={queue} />}
    </Page>
  )
}

const tabs = [
  [undefined, 'Overview'],
  ['keys', 'Keys'],
] as const

function Tabs({ name, tab }: { readonly name: string; readonly tab: QueueSearch['tab'] }) {
  return (
    <nav className={ui['tabs']} aria-label="Parts of the queue">
      {tabs.map(([to, words]) => (
        <Link
          key={words}
          to="/queues/$name"
          params={{ name }}
          search={to === undefined ? {} : { tab: to }}
          className={ui['tab'] ?? ''}
          data-current={to === tab}
          aria-current={to === tab ? 'page' : undefined}
        >
          {words}
        </Link>
      ))}
    </nav>
  )
}

/** What it has to do, and how it does. */
function QueueNow({ queue }: { readonly queue: Queue }) {
  const may = useMay()
  const search = queueRoute.useSearch()
  const navigate = queueRoute.useNavigate()
  const { name, depth, paused_at: pausedAt, oldest_ready_seconds: oldest, workers } = queue
  const all = depth.queued + depth.running + depth.retrying
  return (
    <>
      <div className={overview['columns']}>
        <Card title="Now">
          <Facts
            facts={[
              [
                'State',
                pausedAt === null ? (
                  'open'
                ) : (
                  <span key="s">
                    paused <Time at={pausedAt} />
                  </span>
                ),
              ],
              ['Depth', <DepthBar key="d" depth={depth} most={Math.max(1, all)} />],
              ...(['queued', 'running', 'retrying'] as const).map(
                (status) =>
                  [
                    stateLooks[status].word,
                    <Link key={status} to="/jobs" search={{ queue: name, status }}>
                      {plural(depth[status], 'job')}
                    </Link>,
                  ] as const,
              ),
              ['Oldest due', oldest === null ? 'none waits' : formatSpan(Math.floor(oldest) * 1_000)],
              ['Live workers', workers],
              [
                'Limits',
                may('ops:read') ? (
                  <Link key="m" to="/limits" search={{ queue: name }}>
                    those of this queue
                  </Link>
                ) : null,
              ],
              [
                'Dead letters',
                <Link key="l" to="/dead-letters" search={{ queue: name }}>
                  those of this queue
                </Link>,
              ],
            ]}
          />
        </Card>
        <QueueWhy queue={queue} />
      </div>
      <Numbers about={{ queue: name }} search={search} change={(to) => void navigate({ search: to })} />
      <ItsWorkers name={name} />
    </>
  )
}

function PurgeButton({ name }: { readonly name: string }) {
  const may = useMay()
  const { confirmMany } = useActs()
  if (!may('jobs:delete')) return null
  return (
    <Button look="danger" onClick={() => confirmMany([purgeAct(name)])}>
      Purge
    </Button>
  )
}

function ItsWorkers({ name }: { readonly name: string }) {
  const may = useMay()
  const query = useQuery({ ...queries.workers, enabled: may('ops:read') })
  if (!may('ops:read')) return null
  return (
    <Card title="Workers of this queue" flush>
      <Loaded query={query}>
        {(workers) => (
          <WorkerTable
            workers={workers.filter(({ queues, state }) => queues.includes(name) && state !== 'stopped')}
          />
        )}
      </Loaded>
    </Card>
  )
}
