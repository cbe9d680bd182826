import {
  Ban,
  Check,
  CirclePause,
  CirclePlay,
  Clock,
  Hourglass,
  type LucideIcon,
  OctagonX,
  RotateCcw,
} from 'lucide-react'
import type { JobStatus } from '@queue/client'
import type { Shown, Stage } from '../api/expected.ts'
import { Time } from './time.tsx'
import styles from './ui.module.css'

export interface StateLook {
  readonly word: string
  readonly icon: LucideIcon
  readonly style: string | undefined
}

/** How each state is shown: with an icon and a word, never by colour alone. */
export const stateLooks: Readonly<Record<JobStatus, StateLook>> = {
  queued: { word: 'Queued', icon: Clock, style: styles['queued'] },
  running: { word: 'Running', icon: CirclePlay, style: styles['running'] },
  succeeded: { word: 'Succeeded', icon: Check, style: styles['succeeded'] },
  retrying: { word: 'Retrying', icon: RotateCcw, style: styles['retrying'] },
  failed_permanent: { word: 'Failed', icon: OctagonX, style: styles['failed'] },
  cancelled: { word: 'Cancelled', icon: Ban, style: styles['cancelled'] },
}

export function StatePill({
  status,
  cancelling = false,
}: {
  readonly status: JobStatus
  readonly cancelling?: boolean
}) {
  const { word, icon: Icon, style } = stateLooks[status]
  return (
    <span className={`${styles['pill']} ${style}`} data-state={status}>
      <Icon size={14} aria-hidden />
      {cancelling && status === 'running' ? 'Cancelling' : word}
    </span>
  )
}

interface PausedPillProps {
  readonly at: string
  /** Set while the API has not confirmed the pause. The time is not known yet. */
  readonly expected?: Stage | undefined
}

/** Marks a paused queue, key or limit, with the time of the pause. */
export function PausedPill({ at, expected }: PausedPillProps) {
  return (
    <span className={`${styles['pill']} ${styles['retrying']}`}>
      <CirclePause size={14} aria-hidden />
      Paused
      {expected === undefined && (
        <>
          &nbsp;
          <Time at={at} />
        </>
      )}
    </span>
  )
}

/** Marks a row while the API takes long to answer an action on it. */
export function Unconfirmed({ row: { expected } }: { readonly row: Shown<object> }) {
  if (expected !== 'late') return null
  return (
    <span className={styles['unconfirmed']}>
      <Hourglass size={12} aria-hidden />
      not confirmed yet
    </span>
  )
}
