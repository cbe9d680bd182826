import type { Queue } from '@queue/client'
import { Link } from '@tanstack/react-router'
import type { Shown } from '../../api/expected.ts'
import { queueRoute } from '../../routes.ts'
import { useMay } from '../../shell/me.tsx'
import { Card, Facts } from '../../ui/controls.tsx'
import { DepthBar } from '../../ui/depth-bar.tsx'
import { formatSpan, plural } from '../../ui/format.ts'
import { stateLooks } from '../../ui/states.tsx'
import { Time } from '../../ui/time.tsx'
import { Numbers } from '../insight/numbers.tsx'
import overview from '../insight/overview.module.css'
import { QueueWhy } from '../insight/queue-why.tsx'

/** The state of a queue, why its newest job waits, and its numbers. */
export function QueueOverview({ queue }: { readonly queue: Shown<Queue> }) {
  const search = queueRoute.useSearch()
  const navigate = queueRoute.useNavigate()
  return (
    <>
      <div className={overview['columns']}>
        <CurrentState queue={queue} />
        <QueueWhy queue={queue} />
      </div>
      <Numbers scope={{ queue: queue.name }} search={search} change={(to) => void navigate({ search: to })} />
    </>
  )
}

function CurrentState({ queue }: { readonly queue: Shown<Queue> }) {
  const may = useMay()
  const { name, depth, paused_at: pausedAt, oldest_ready_seconds: oldest, workers } = queue
  const all = depth.queued + depth.running + depth.retrying
  const state =
    pausedAt === null ? (
      'Active'
    ) : (
      <>Paused {queue.expected === undefined && <Time at={pausedAt} />}. No jobs start.</>
    )
  return (
    <Card title="Current state">
      <Facts
        facts={[
          ['State', state],
          ['Depth', <DepthBar key="d" depth={depth} max={Math.max(1, all)} />],
          ...(['queued', 'running', 'retrying'] as const).map(
            (status) =>
              [
                stateLooks[status].word,
                <Link key={status} to="/jobs" search={{ queue: name, status }}>
                  {plural(depth[status], 'job')}
                </Link>,
              ] as const,
          ),
          ['Oldest due', oldest === null ? 'None' : formatSpan(Math.floor(oldest) * 1_000)],
          ['Live workers', may('ops:read') ? <WorkersLink key="w" name={name} count={workers} /> : workers],
          [
            'Dead letters',
            <Link key="l" to="/dead-letters" search={{ queue: name }}>
              View dead letters
            </Link>,
          ],
        ]}
      />
    </Card>
  )
}

function WorkersLink({ name, count }: { readonly name: string; readonly count: number }) {
  return (
    <Link to="/queues/$name" params={{ name }} search={{ tab: 'workers' }}>
      {count}
    </Link>
  )
}
