import type { ExecutionOutcome, JobStatus } from '@queue/core'
import type { Plan } from '../fleet/chaos-job.ts'
import type { EffectPhase } from '../record/effect-log.ts'
import type { ClientOutcome } from '../record/history.ts'

/** One change of a job's state, as the audit has recorded it. */
export interface AuditEntry {
  /** Null for an insert. */
  readonly from: JobState | null
  /** Null for a delete. */
  readonly to: JobState | null
  readonly maxAttempts: number
  /** Whether a cancel had been requested before the change. */
  readonly cancelRequested: boolean
  /** Whether the job's `run_at` had come before the change. */
  readonly due: boolean
  /** For a recovery, the state of the worker that the job was taken from; null if the registry has no such worker. */
  readonly workerState: string | null
  readonly atMs: number
}

export interface JobState {
  readonly status: JobStatus
  readonly token: number
  readonly attempts: number
  readonly crashes: number
}

/** An effect that a handler has logged, with the lease under which it ran. */
export interface EffectEntry {
  readonly token: number
  readonly phase: EffectPhase
  readonly atMs: number
}

/** An attempt that has ended, as the queue has recorded it. */
export interface ExecutionEntry {
  readonly token: number
  readonly outcome: ExecutionOutcome
  readonly error: string | null
}

/** Everything that its client, its handlers, the audit and the queue itself have recorded about one job. */
export interface JobHistory {
  readonly id: string
  /** The client's own key of the job; null if its payload has none. */
  readonly key: string | null
  /** Undefined if no client has enqueued it. */
  readonly clientOutcome: ClientOutcome | undefined
  /** What its handler should do. */
  readonly plan: Plan
  readonly maxAttempts: number
  readonly cancelRequested: boolean
  readonly last: JobState
  /** What the handler returned. */
  readonly result: unknown
  /** In the order of the events, as are `effects` and `executions`. */
  readonly audit: readonly AuditEntry[]
  readonly effects: readonly EffectEntry[]
  readonly executions: readonly ExecutionEntry[]
}

/** The kinds of faults of a job. */
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
  /** The job's id, or its key if the job does not exist. */
  readonly job: string
  readonly detail: string
}
