import type { Worker } from '@queue/client'
import { Link } from '@tanstack/react-router'
import { Empty } from '../../ui/feedback.tsx'
import { Time } from '../../ui/time.tsx'
import ui from '../../ui/ui.module.css'
import styles from './workers.module.css'

const order = { lost: 0, active: 1, stopped: 2 } as const
const looks = {
  lost: { word: 'Lost', style: ui['failed'] },
  active: { word: 'Active', style: ui['succeeded'] },
  stopped: { word: 'Stopped', style: ui['queued'] },
}

/** The table of workers, lost ones first, because their loss may need an explanation. */
export function WorkerTable({ workers }: { readonly workers: readonly Worker[] }) {
  if (workers.length === 0) {
    return (
      <Empty title="No workers">
        <code className={ui['snippet']}>
          createWorker({'{ connectionString, queues, handlers }'}).start()
        </code>
      </Empty>
    )
  }
  const sorted = workers.toSorted(
    (a, b) => order[a.state] - order[b.state] || b.started_at.localeCompare(a.started_at),
  )
  return (
    <table className={ui['table']}>
      <thead>
        <tr>
          <th>State</th>
          <th>Worker</th>
          <th>Slots</th>
          <th>Queues</th>
          <th>Kinds</th>
          <th>Version</th>
          <th>Heartbeat</th>
          <th>Started</th>
        </tr>
      </thead>
      <tbody>
        {sorted.map((worker) => (
          <WorkerRow key={worker.id} worker={worker} />
        ))}
      </tbody>
    </table>
  )
}

function WorkerRow({ worker }: { readonly worker: Worker }) {
  return (
    <tr data-row>
      <td className={ui['state']}>
        <WorkerState worker={worker} />
      </td>
      <td>
        <Link to="/workers/$id" params={{ id: worker.id }} className={ui['strong'] ?? ''}>
          {worker.hostname}
        </Link>{' '}
        <span className={`${ui['mono']} ${ui['muted']}`}>{worker.id}</span>
      </td>
      <td>
        <Slots worker={worker} />
      </td>
      <td>{worker.queues.join(', ')}</td>
      <td title={worker.kinds.join(', ')} data-label="kinds">
        {worker.kinds.length}
      </td>
      <td>
        {worker.version !== null && (
          <Link to="/jobs" search={{ worker_version: worker.version, status: 'running' }}>
            {worker.version}
          </Link>
        )}
      </td>
      <td data-label="heartbeat">
        <Time at={worker.heartbeat_at} />
      </td>
      <td data-label="started">
        <Time at={worker.started_at} />
      </td>
    </tr>
  )
}

export function WorkerState({ worker: { state } }: { readonly worker: Pick<Worker, 'state'> }) {
  const { word, style } = looks[state]
  return <span className={`${ui['pill']} ${style}`}>{word}</span>
}

export function Slots({ worker: { id, running, concurrency } }: { readonly worker: Worker }) {
  return (
    <span className={styles['slots']}>
      <meter min={0} max={Math.max(1, concurrency)} value={running} aria-label="Slots in use" />
      <Link to="/jobs" search={{ worker: id, status: 'running' }}>
        {running} of {concurrency}
      </Link>
    </span>
  )
}
