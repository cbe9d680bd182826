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
import type { Admission } from './access/admission.ts'
import type { KeyBudgets } from './access/budget.ts'
import type { JobLinks } from './access/job-links.ts'
import type { LoopTurns } from './access/loop-turns.ts'
import type { Diagnose } from './diagnoses.ts'
import type { SharedAnswers } from './http/shared-answers.ts'
import type { KindCatalogue } from './kinds/kind-catalogue.ts'
import type { EventStreams } from './watch/event-streams.ts'
import type { JobWatcher } from './watch/job-watcher.ts'
import type { LineReads } from './watch/line-reads.ts'

/** The services of the operations. */
export interface Services {
  readonly queue: ApiQueue
  /** Writes the jobs of concurrent requests together. */
  readonly grouped: GroupedEnqueue
  readonly watcher: JobWatcher
  readonly eventStreams: EventStreams
  readonly lineReads: LineReads
  /** Absent: the server has no secret to sign links with. */
  readonly jobLinks: JobLinks | undefined
  /** The services of another scope, such as that of the creator of a link. */
  readonly servicesFor: ServicesFor
  /** The responses that callers of this scope share. */
  readonly shared: SharedAnswers
  /** Admits requests to the connections of the pool that `queue` uses. */
  readonly admission: Admission
  /** Admits enqueues to `grouped`, of all scopes together. */
  readonly enqueueAdmission: Admission
  /** Admits scrapes to the renderings of the metrics. */
  readonly scrapeAdmission: Admission
  /** The turns of callers for the event loop. */
  readonly turns: LoopTurns
  /** What the requests of one key can use at a time. */
  readonly budgets: KeyBudgets
  /** Maximum wait of a request for its job, in milliseconds from its arrival. */
  readonly waitMsMax: number
  /** Aborted when the process begins to stop. */
  readonly stopping: AbortSignal
  /** The kinds that can be enqueued. */
  readonly kinds: KindCatalogue
  /** What happens when a registered kind version gets another schema. */
  readonly kindChanges: 'replace' | 'refuse'
  readonly readiness: Readiness
  readonly diagnose: Diagnose
  readonly registry: MetricsRegistry
  /** The OpenAPI document, as JSON. */
  readonly openApiBytes: Buffer
  /** What happens with a known idempotency key and a different request, unless the request itself says so. */
  readonly idempotencyMismatch: IdempotencyMismatch
}

/** The services for callers of this scope; without a scope, those of unrestricted callers. */
export type ServicesFor = (scope: Scope | undefined) => Services

/** The part of the queue that HTTP exposes. Changes are only in `actAs`, which records the actor in the audit log. */
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

/** `replay`: the original job, with a header. `reject`: 422. */
export const idempotencyMismatches = ['replay', 'reject'] as const

export type IdempotencyMismatch = (typeof idempotencyMismatches)[number]
