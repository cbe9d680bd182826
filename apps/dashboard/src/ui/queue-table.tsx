import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { Queue } from '@queue/client'
import { useActs } from '../acts/acts.tsx'
import { pauseQueue, resumeQueue } from '../acts/queue-acts.ts'
import { type Shown, useExpected } from '../api/expected.ts'
import { queries } from '../api/queries.ts'
import { clearsInMs, type QueueRates } from '../clears-in.ts'
import { useMay } from '../shell/me.tsx'
import { Button } from './controls.tsx'
import { Empty } from './feedback.tsx'
import { formatCount, formatSpan } from './format.ts'
import { DepthBar } from './depth-bar.tsx'
import { PausedPill, Unconfirmed } from './states.tsx'
import styles from './ui.module.css'

/** Queues by what they have to do; the busiest has the longest bar. */
export function QueueTable({ queues: read }: { readonly queues: readonly Queue[] }) {
  const rates = useQuery(queries.queueRates)
  const queues = useExpected('queue', read)
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
          <th
            className={styles['number']}
            title="95 of 100 attempts of the last five minutes began within this time"
          >
            Wait p95
          </th>
          <th className={styles['number']}>Workers</th>
          <th
            className={styles['number']}
            title="What is due, if jobs come and start as in the last five minutes"
          >
            Clears in
          </th>
          <th className={styles['act']}>
            <span className="visually-hidden">Acts</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {queues.map((queue) => (
          <QueueRow
            key={queue.name}
            queue={queue}
            most={most}
            rates={rates.data?.get(queue.name)}
            isKnown={rates.isSuccess}
          />
        ))}
      </tbody>
    </table>
  )
}

interface QueueRowProps {
  readonly queue: Shown<Queue>
  readonly most: number
  /** Absent where nothing has happened in the last minutes, and until that is known. */
  readonly rates: QueueRates | undefined
  readonly isKnown: boolean
}

function QueueRow({ queue, most, rates, isKnown }: QueueRowProps) {
  const { name, depth, workers, oldest_ready_seconds: oldest, paused_at: pausedAt } = queue
  return (
    <tr data-row>
      <td>
        <Link to="/queues/$name" params={{ name }} className={styles['strong'] ?? ''}>
          {name}
        </Link>
        {pausedAt !== null && (
          <>
            {' '}
            <PausedPill at={pausedAt} expected={queue.expected} />
          </>
        )}{' '}
        <Unconfirmed row={queue} />
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
      <td className={styles['number']} data-label="wait p95">
        {waitWords(rates)}
      </td>
      <td className={styles['number']} data-label="workers">
        {formatCount(workers)}
      </td>
      <td className={styles['number']} data-label="clears in">
        {isKnown ? clearsWords(queue, rates) : ''}
      </td>
      <td className={styles['act']}>
        <PauseButton queue={queue} />
      </td>
    </tr>
  )
}

function waitWords(rates: QueueRates | undefined): string {
  const wait = rates?.counts.wait_ms ?? null
  return wait === null ? '–' : formatSpan(wait.p95)
}

function clearsWords(queue: Queue, rates: QueueRates | undefined): string {
  const inMs = clearsInMs(queue, rates)
  if (inMs === 'never') return 'not at this rate'
  if (inMs === 'unknown') return 'unknown'
  return inMs === 0 ? '–' : formatSpan(Math.ceil(inMs / 1_000) * 1_000)
}

/** Pauses or resumes, at once: the other takes it back. */
export function PauseButton({ queue }: { readonly queue: Pick<Queue, 'name' | 'paused_at'> }) {
  const may = useMay()
  const { perform } = useActs()
  if (!may('queues:control')) return null
  const isPaused = queue.paused_at !== null
  const act = (): void => void perform(isPaused ? resumeQueue(queue.name) : pauseQueue(queue.name))
  return (
    <Button data-key={isPaused ? 'r' : undefined} onClick={act}>
      {isPaused ? 'Resume' : 'Pause'}
      <span className="visually-hidden"> {queue.name}</span>
    </Button>
  )
}
