import { Link } from '@tanstack/react-router'
import { CirclePause } from 'lucide-react'
import type { Queue } from '@queue/client'
import { useActs } from '../acts/acts.tsx'
import { pauseQueue, resumeQueue } from '../acts/queue-acts.ts'
import { useMay } from '../shell/me.tsx'
import { Button } from './controls.tsx'
import { Empty } from './feedback.tsx'
import { formatCount, formatSpan } from './format.ts'
import { DepthBar } from './depth-bar.tsx'
import { Time } from './time.tsx'
import styles from './ui.module.css'

/** Queues by what they have to do; the busiest has the longest bar. */
export function QueueTable({ queues }: { readonly queues: readonly Queue[] }) {
  if (queues.length === 0) {
    return (
      <Empty title="There is no queue yet">
        <span>A queue comes with its first job, or its first worker.</span>
        <code className={styles['snippet']}>{"await queue.enqueue(sendInvoice, { invoice_id: 'i_1' })"}</code>
      </Empty>
    )
  }
  const most = Math.max(1, ...queues.map(({ depth }) => depth.queued + depth.retrying + depth.running))
  return (
    <table className={styles['table']}>
      <thead>
        <tr>
          <th>Queue</th>
          <th>Depth</th>
          <th className={styles['number']}>Queued</th>
          <th className={styles['number']}>Running</th>
          <th className={styles['number']}>Retrying</th>
          <th className={styles['number']}>Oldest due</th>
          <th className={styles['number']}>Workers</th>
          <th className={styles['act']}>
            <span className="visually-hidden">Acts</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {queues.map((queue) => (
          <QueueRow key={queue.name} queue={queue} most={most} />
        ))}
      </tbody>
    </table>
  )
}

function QueueRow({ queue, most }: { readonly queue: Queue; readonly most: number }) {
  const { name, depth, workers, oldest_ready_seconds: oldest, paused_at: pausedAt } = queue
  return (
    <tr data-row>
      <td>
        <Link to="/queues/$name" params={{ name }} className={styles['strong'] ?? ''}>
          {name}
        </Link>
        {pausedAt !== null && (
          <span className={`${styles['pill']} ${styles['retrying']}`} style={{ marginLeft: 8 }}>
            <CirclePause size={14} aria-hidden />
            Paused&nbsp;
            <Time at={pausedAt} />
          </span>
        )}
      </td>
      <td style={{ width: '24%' }}>
        <DepthBar depth={depth} most={most} />
      </td>
      <td className={styles['number']} data-label="queued">
        {formatCount(depth.queued)}
      </td>
      <td className={styles['number']} data-label="running">
        {formatCount(depth.running)}
      </td>
      <td className={styles['number']} data-label="retrying">
        {formatCount(depth.retrying)}
      </td>
      <td className={styles['number']} data-label="oldest due">
        {oldest === null ? '–' : formatSpan(Math.floor(oldest) * 1_000)}
      </td>
      <td className={styles['number']} data-label="workers">
        {formatCount(workers)}
      </td>
      <td className={styles['act']}>
        <PauseButton queue={queue} />
      </td>
    </tr>
  )
}

/** Pauses or resumes, at once: the other takes it back. */
export function PauseButton({ queue }: { readonly queue: Pick<Queue, 'name' | 'paused_at'> }) {
  const may = useMay()
  const { perform } = useActs()
  if (!may('queues:control')) return null
  const isPaused = queue.paused_at !== null
  const act = isPaused ? resumeQueue(queue.name) : pauseQueue(queue.name)
  return (
    <Button data-key={isPaused ? 'r' : undefined} onClick={() => void perform(act)}>
      {isPaused ? 'Resume' : 'Pause'}
      <span className="visually-hidden"> {queue.name}</span>
    </Button>
  )
}
