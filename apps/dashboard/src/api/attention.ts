import { useQuery } from '@tanstack/react-query'
import type { Queue, Schedule } from '@queue/client'
import { useMay } from '../shell/me.tsx'
import { formatCount, formatSpan } from '../ui/format.ts'
import { queries } from './queries.ts'

/** Something that somebody should look at. */
export interface Attention {
  /** 1 is the most urgent. */
  readonly severity: 1 | 2
  readonly what: 'no_worker' | 'paused' | 'behind' | 'schedule_stopped'
  /** The queue or schedule. */
  readonly name: string
  readonly text: string
  readonly ageSeconds: number
}

/** A due job that waits for so long needs somebody, though workers are there. */
const behindSeconds = 300
/** And for so long, though none is: a worker may just be starting. */
const unservedSeconds = 30

function attentionOf(queues: readonly Queue[], schedules: readonly Schedule[]): Attention[] {
  const items = [...queues.flatMap(ofQueue), ...schedules.flatMap(ofSchedule)]
  return items.toSorted((a, b) => a.severity - b.severity || b.ageSeconds - a.ageSeconds)
}

function ofQueue({
  name,
  paused_at: pausedAt,
  depth,
  oldest_ready_seconds: oldest,
  workers,
}: Queue): Attention[] {
  const waiting = depth.queued + depth.retrying
  const count = `${formatCount(waiting)} waiting`
  const ageSeconds = oldest ?? 0
  if (pausedAt !== null && waiting > 0) {
    return [{ severity: 2, what: 'paused', name, text: `paused, ${count}`, ageSeconds }]
  }
  if (pausedAt !== null || oldest === null) return []
  const since = formatSpan(oldest * 1_000)
  if (workers === 0 && oldest >= unservedSeconds) {
    return [
      {
        severity: 1,
        what: 'no_worker',
        name,
        text: `no worker serves it, ${count} for up to ${since}`,
        ageSeconds,
      },
    ]
  }
  if (oldest < behindSeconds) return []
  return [
    {
      severity: 2,
      what: 'behind',
      name,
      text: `falls behind: ${count}, the oldest for ${since}`,
      ageSeconds,
    },
  ]
}

function ofSchedule({ name, paused_reason: reason }: Schedule): Attention[] {
  if (reason === null) return []
  return [
    { severity: 1, what: 'schedule_stopped', name, text: `has stopped itself: ${reason}`, ageSeconds: 0 },
  ]
}

/** What needs somebody now, as far as whoever looks may know. */
export function useAttention() {
  const may = useMay()
  const queues = useQuery({ ...queries.queues, enabled: may('jobs:read') })
  const schedules = useQuery({ ...queries.schedules, enabled: may('schedules:read') })
  return { items: attentionOf(queues.data ?? [], schedules.data ?? []), queues, schedules }
}
