import type { ExecutionOutcome, JobStatus } from '@queue/core'
import type { Plan } from '../fleet/chaos-job.ts'
import type { EffectPhase } from '../record/effect-log.ts'
import type { Fate } from '../record/history.ts'

/** One change of a job's state, as the audit has seen it. */
export interface AuditEntry {
  /** Null for an insert. */
  readonly from: JobState | null
  /** Null for a delete. */
  readonly to: JobState | null
  readonly maxAttempts: number
  /** Whether a cancel had been asked for before the change. */
  readonly cancelRequested: boolean
  /** Whether the job's `run_at` had come before the change. */
  readonly due: boolean
  /** Of a recovery: the state of the worker that the job was taken from; null where the registry has none. */
  readonly workerState: string | null
  readonly atMs: number
}

export interface JobState {
  readonly status: JobStatus
  readonly token: number
  readonly attempts: number
  readonly crashes: number
}

/** What a handler has written down, by the lease under which it ran. */
export interface EffectEntry {
  readonly token: number
  readonly phase: EffectPhase
  readonly atMs: number
}

/** An ended attempt, as the queue has recorded it. */
export interface ExecutionEntry {
  readonly token: number
  readonly outcome: ExecutionOutcome
  readonly error: string | null
}

/** Everything that is known of one job: by its client, its handlers, the audit, and the queue itself. */
export interface JobHistory {
  readonly id: string
  /** What the client called it; null when its payload has no key. */
  readonly key: string | null
  /** Undefined when no client has asked for it. */
  readonly fate: Fate | undefined
  /** What its handler was to do. */
  readonly plan: Plan
  readonly maxAttempts: number
  readonly cancelRequested: boolean
  readonly last: JobState
  /** What the handler returned. */
  readonly result: unknown
  /** In the order in which it happened; so are the others. */
  readonly audit: readonly AuditEntry[]
  readonly effects: readonly EffectEntry[]
  readonly executions: readonly ExecutionEntry[]
}

/** The kinds of what can be wrong with a job. */
export const faultKinds = [
  'lost',
  'unexpected',
  'duplicated job',
  'duplicated finish',
  'illegal transition',
  'non-terminal',
  'unplanned end',
  'foreign finish',
  'unrecorded attempt',
  'stolen from a live worker',
  'effect not exactly once',
] as const

export type FaultKind = (typeof faultKinds)[number]

export interface Fault {
  readonly kind: FaultKind
  /** The job's id, or its key where it has none. */
  readonly job: string
  readonly detail: string
}
