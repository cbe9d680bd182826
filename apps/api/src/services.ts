import type {
  DeadLetterActs,
  GroupedEnqueue,
  KeyActs,
  KindActs,
  Queue,
  LimitActs,
  ScheduleActs,
  Scope,
} from '@queue/core'
import type { Readiness } from '@queue/service'
import type { MetricsRegistry } from '@queue/telemetry'
import type { KeyBudgets } from './access/budget.ts'
import type { JobLinks } from './access/job-links.ts'
import type { Diagnose } from './diagnoses.ts'
import type { SharedAnswers } from './http/shared-answers.ts'
import type { KindCatalogue } from './kinds/kind-catalogue.ts'
import type { EventStreams } from './watch/event-streams.ts'
import type { JobWatcher } from './watch/job-watcher.ts'

/** What the operations work with. */
export interface Services {
  readonly queue: ApiQueue
  /** Writes the jobs of concurrent requests together. */
  readonly grouped: GroupedEnqueue
  readonly watcher: JobWatcher
  readonly eventStreams: EventStreams
  /** Absent: the server has no secret to sign links with. */
  readonly jobLinks: JobLinks | undefined
  /** The services of another scope: that of whoever made a link. */
  readonly servicesFor: ServicesFor
  /** The answers that callers of this scope share. */
  readonly shared: SharedAnswers
  /** What the requests of one key may have at once. */
  readonly budgets: KeyBudgets
  /** Milliseconds from its arrival for which a request may wait for its job to end. */
  readonly waitMsMax: number
  /** Aborted when the process begins to stop. */
  readonly stopping: AbortSignal
  /** The kinds of job that may be enqueued. */
  readonly kinds: KindCatalogue
  /** What becomes of a kind whose schema has changed under one version. */
  readonly kindChanges: 'replace' | 'refuse'
  readonly readiness: Readiness
  readonly diagnose: Diagnose
  readonly registry: MetricsRegistry
  /** The OpenAPI document, as JSON. */
  readonly openApiText: string
  /** What becomes of a known idempotency key with a different request, unless the request says otherwise. */
  readonly idempotencyMismatch: IdempotencyMismatch
}

/** What the operations work with for a caller of this scope; for one without, the services of everybody. */
export type ServicesFor = (scope: Scope | undefined) => Services

/** The part of the queue that HTTP shows. What changes something there is only in `actAs`, which writes whose act it was. */
export type ApiQueue = Pick<
  Queue,
  | 'enqueueMany'
  | 'operations'
  | 'get'
  | 'states'
  | 'list'
  | 'executions'
  | 'logs'
  | 'errors'
  | 'stats'
  | 'expectedStart'
  | 'why'
  | 'attention'
  | 'listQueues'
  | 'queueKeys'
  | 'workers'
  | 'actAs'
  | 'audit'
> & {
  readonly deadLetters: Omit<Queue['deadLetters'], keyof DeadLetterActs>
  readonly limits: Omit<Queue['limits'], keyof LimitActs>
  readonly schedules: Omit<Queue['schedules'], keyof ScheduleActs>
  readonly keys: Omit<Queue['keys'], keyof KeyActs>
  readonly kinds: Omit<Queue['kinds'], keyof KindActs>
}

/** `replay`: the original job, with a header that says so. `reject`: 422. */
export const idempotencyMismatches = ['replay', 'reject'] as const

export type IdempotencyMismatch = (typeof idempotencyMismatches)[number]
