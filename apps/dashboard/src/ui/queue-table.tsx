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

/** The table of queues. The queue with the most jobs has the longest bar. */
export function QueueTable({ queues: read }: { readonly queues: readonly Queue[] }) {
  const rates = useQuery(queries.queueRates)
  const queues = useExpected('queue', read)
  if (queues.length === 0) {
    return (
      <Empty title="No queues yet">
        <span>A queue appears with its first job or worker.</span>
        <code className={styles['snippet']}>{"await queue.enqueue(sendInvoice, { invoice_id: 'i_1' })"}</code>
      </Empty>
    )
  }
  const maxDepth = Math.max(1, ...queues.map(({ depth }) => depth.queued + depth.retrying + depth.running))
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
            title="95 % of the attempts in the last 5 minutes started within this time"
          >
            Wait p95
          </th>
          <th className={styles['number']}>Workers</th>
          <th
            className={styles['number']}
            title="Estimated time until no due job waits, at the rates of the last 5 minutes"
          >
            Clears in
          </th>
          <th className={styles['act']}>
            <span className="visually-hidden">Actions</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {queues.map((queue) => (
          <QueueRow
            key={queue.name}
            queue={queue}
            maxDepth={maxDepth}
            rates={rates.data?.get(queue.name)}
            areRatesLoaded={rates.isSuccess}
          />
        ))}
      </tbody>
    </table>
  )
}

interface QueueRowProps {
  readonly queue: Shown<Queue>
  readonly maxDepth: number
  /** Absent while loading, and if nothing happened in the last minutes. */
  readonly rates: QueueRates | undefined
  readonly areRatesLoaded: boolean
}

function QueueRow({ queue, maxDepth, rates, areRatesLoaded }: QueueRowProps) {
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
      <td className={styles['depth']}>
        <DepthBar depth={depth} max={maxDepth} />
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
        {waitText(rates)}
      </td>
      <td className={styles['number']} data-label="workers">
        {formatCount(workers)}
      </td>
      <td className={styles['number']} data-label="clears in">
        {areRatesLoaded ? clearsText(queue, rates) : ''}
      </td>
      <td className={styles['act']}>
        <PauseButton queue={queue} />
      </td>
    </tr>
  )
}

function waitText(rates: QueueRates | undefined): string {
  const wait = rates?.counts.wait_ms ?? null
  return wait === null ? '–' : formatSpan(wait.p95)
}

function clearsText(queue: Queue, rates: QueueRates | undefined): string {
  const inMs = clearsInMs(queue, rates)
  if (inMs === 'never') return 'not at this rate'
  if (inMs === 'unknown') return 'unknown'
  return inMs === 0 ? '–' : formatSpan(Math.ceil(inMs / 1_000) * 1_000)
}

/** Pauses or resumes a queue without a confirmation. */
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
