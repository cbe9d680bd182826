import type { Queue } from '@queue/client'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactElement } from 'react'
import { useActs } from '../../acts/acts.tsx'
import { purgeAct } from '../../acts/many-acts.ts'
import { type Shown, useExpectedOne } from '../../api/expected.ts'
import { queries } from '../../api/queries.ts'
import { queueRoute } from '../../routes.ts'
import { type QueueTab, numbersSearch } from '../../search.ts'
import { Needs, type Permission, useMay } from '../../shell/me.tsx'
import { Button, Page } from '../../ui/controls.tsx'
import { Empty, Loaded, NotPermitted } from '../../ui/feedback.tsx'
import { formatCount } from '../../ui/format.ts'
import { PauseButton } from '../../ui/queue-table.tsx'
import { PausedPill, Unconfirmed } from '../../ui/states.tsx'
import ui from '../../ui/ui.module.css'
import { QueueAttention } from '../insight/attention-list.tsx'
import styles from '../jobs/job.module.css'
import { QueueKeys } from './queue-keys.tsx'
import { QueueLimits } from './queue-limits.tsx'
import { QueueOverview } from './queue-overview.tsx'
import { QueueWorkers } from './queue-workers.tsx'

export function QueuePage(): ReactElement {
  const { name } = queueRoute.useParams()
  const query = useQuery(queries.queues)
  return (
    <Needs permission="jobs:read">
      <Loaded query={query}>
        {(queues) => {
          const queue = queues.find((one) => one.name === name)
          return queue === undefined ? <QueueNotFound name={name} /> : <QueueView queue={queue} />
        }}
      </Loaded>
    </Needs>
  )
}

function QueueNotFound({ name }: { readonly name: string }) {
  return (
    <Page title={name}>
      <Empty title="No live jobs and no workers in this queue">
        <Link to="/jobs" search={{ queue: name }}>
          View ended jobs
        </Link>
      </Empty>
    </Page>
  )
}

function QueueView({ queue: read }: { readonly queue: Queue }) {
  const queue = useExpectedOne('queue', read)
  const { name, paused_at: pausedAt } = queue
  const { tab = 'overview' } = queueRoute.useSearch()
  const title = (
    <span className={styles['title']}>
      {name} {pausedAt !== null && <PausedPill at={pausedAt} expected={queue.expected} />}
      <Unconfirmed row={queue} />
    </span>
  )
  return (
    <Page
      title={title}
      subtitle="Queue"
      actions={
        <>
          <PauseButton queue={queue} />
          <PurgeButton name={name} />
        </>
      }
    >
      <QueueAttention name={name} />
      <Tabs queue={queue} tab={tab} />
      <TabContent queue={queue} tab={tab} />
    </Page>
  )
}

interface TabLook {
  readonly word: string
  /** The permission that the tab requires. */
  readonly permission?: Permission
  readonly count?: (queue: Queue) => number
}

const looks: Readonly<Record<QueueTab, TabLook>> = {
  overview: { word: 'Overview' },
  keys: { word: 'Keys' },
  limits: { word: 'Limits', permission: 'ops:read' },
  workers: { word: 'Workers', permission: 'ops:read', count: ({ workers }) => workers },
}

interface TabProps {
  readonly queue: Shown<Queue>
  readonly tab: QueueTab
}

/** Tabs as links, because each has an address. The overview has the address of the queue. All keep the range of the charts. */
function Tabs({ queue, tab }: TabProps) {
  const may = useMay()
  const shown = (Object.entries(looks) as [QueueTab, TabLook][]).filter(
    ([, { permission }]) => permission === undefined || may(permission),
  )
  return (
    <nav className={ui['tabs']} aria-label="Queue tabs">
      {shown.map(([name, { word, count }]) => (
        <Link
          key={name}
          to="/queues/$name"
          params={{ name: queue.name }}
          search={(before) => ({
            ...numbersSearch({ ...before }),
            ...(name !== 'overview' && { tab: name }),
          })}
          activeOptions={{ exact: true }}
          resetScroll={false}
          className={ui['tab'] ?? ''}
          data-current={name === tab}
          aria-current={name === tab ? 'page' : undefined}
        >
          {word}
          {count !== undefined && <span className={ui['muted']}>{formatCount(count(queue))}</span>}
        </Link>
      ))}
    </nav>
  )
}

function TabContent({ queue, tab }: TabProps) {
  const may = useMay()
  const { permission } = looks[tab]
  if (permission !== undefined && !may(permission)) return <NotPermitted permission={permission} />
  switch (tab) {
    case 'overview':
      return <QueueOverview queue={queue} />
    case 'keys':
      return <QueueKeys queue={queue.name} />
    case 'limits':
      return <QueueLimits queue={queue.name} />
    case 'workers':
      return <QueueWorkers queue={queue.name} />
  }
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
