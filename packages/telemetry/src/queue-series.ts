import { labelValuesMax, otherLabel } from './metrics-registry.ts'

/** The live jobs and the workers of one queue. */
export interface QueueDepth {
  readonly name: string
  /** Whether a worker has ever served it. Otherwise its name comes only from requests. */
  readonly registered: boolean
  readonly queued: number
  readonly retrying: number
  readonly running: number
  /** Null if no job is ready. */
  readonly oldestReadySeconds: number | null
  /** Active workers that serve it. */
  readonly workers: number
  /** Null if it is not paused. */
  readonly pausedAt: Date | null
}

/** The values of one queue in the metrics, or of all queues that share the label `other`. */
export interface QueueSeries {
  readonly label: string
  readonly queued: number
  readonly retrying: number
  readonly running: number
  readonly oldestReadySeconds: number
  readonly workers: number
  /** 1 while the queue, or one of the queues, is paused. */
  readonly paused: number
}

/**
 * One series for each of the first 200 queues, and one for all others together, with the sum of their jobs and the maximum of the
 * other values. Queues with a live worker come first, then queues that a worker has served, then queues with the most live jobs.
 * The order does not depend on when a name first appeared: otherwise a client could take the label of a queue that alerts and
 * autoscaling use.
 */
export function queueSeries(queues: readonly QueueDepth[]): QueueSeries[] {
  const ranked = queues.toSorted(byRank)
  const named = ranked.slice(0, labelValuesMax).map((queue) => seriesOf(queue, queue.name))
  const others = ranked.slice(labelValuesMax).map((queue) => seriesOf(queue, otherLabel))
  return others.length === 0 ? named : [...named, others.reduce(combineSeries)]
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

function combineSeries(a: QueueSeries, b: QueueSeries): QueueSeries {
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
