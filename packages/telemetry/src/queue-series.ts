import { labelValuesMax, otherLabel } from './metrics-registry.ts'

/** The live jobs and the workers of one queue. */
export interface QueueDepth {
  readonly name: string
  /** Whether a worker has ever served it. The names of others come from requests alone. */
  readonly registered: boolean
  readonly queued: number
  readonly retrying: number
  readonly running: number
  /** Null when no job is ready. */
  readonly oldestReadySeconds: number | null
  /** Active workers that serve it. */
  readonly workers: number
  /** Null when it is not paused. */
  readonly pausedAt: Date | null
}

/** What the metrics show of one queue, or of all that share the label `other`. */
export interface QueueSeries {
  readonly label: string
  readonly queued: number
  readonly retrying: number
  readonly running: number
  readonly oldestReadySeconds: number
  readonly workers: number
  /** 1 while it is paused, or one of them is. */
  readonly paused: number
}

/**
 * One series for each of the first 200 queues, and one for all others together: the sum of their jobs, the maximum of the
 * other values. Queues with a live worker come first, then those that a worker has served, then those with the most live
 * jobs. The order does not depend on when a name was first seen: otherwise a client could take the label of a queue that
 * alerts and autoscaling read.
 */
export function queueSeries(queues: readonly QueueDepth[]): QueueSeries[] {
  const ranked = queues.toSorted(byRank)
  const named = ranked.slice(0, labelValuesMax).map((queue) => seriesOf(queue, queue.name))
  const others = ranked.slice(labelValuesMax).map((queue) => seriesOf(queue, otherLabel))
  return others.length === 0 ? named : [...named, others.reduce(together)]
}

function byRank(a: QueueDepth, b: QueueDepth): number {
  return (
    Number(b.workers > 0) - Number(a.workers > 0) ||
    Number(b.registered) - Number(a.registered) ||
    liveJobs(b) - liveJobs(a) ||
    (a.name < b.name ? -1 : 1)
  )
}

function liveJobs({ queued, retrying, running }: QueueDepth): number {
  return queued + retrying + running
}

function seriesOf(queue: QueueDepth, label: string): QueueSeries {
  const { queued, retrying, running, oldestReadySeconds, workers, pausedAt } = queue
  return {
    label,
    queued,
    retrying,
    running,
    oldestReadySeconds: oldestReadySeconds ?? 0,
    workers,
    paused: pausedAt === null ? 0 : 1,
  }
}

function together(a: QueueSeries, b: QueueSeries): QueueSeries {
  return {
    label: a.label,
    queued: a.queued + b.queued,
    retrying: a.retrying + b.retrying,
    running: a.running + b.running,
    oldestReadySeconds: Math.max(a.oldestReadySeconds, b.oldestReadySeconds),
    workers: Math.max(a.workers, b.workers),
    paused: Math.max(a.paused, b.paused),
  }
}
