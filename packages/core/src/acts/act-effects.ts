import type { Notifier } from '../database/notifications.ts'
import type { FullQueues } from '../flow/full-queues.ts'
import type { JobCounter } from '../insight/job-counter.ts'

/** What an act affects beyond its statement, and what limits it. */
export interface ActEffects {
  readonly notifier: Notifier
  /** The queues that accept no more jobs. */
  readonly full: FullQueues
  /** Counts cancelled jobs; absent: they are not counted. */
  readonly counter?: Pick<JobCounter, 'ended' | 'cancelledUnclaimed' | 'flushSoon'> | undefined
}
