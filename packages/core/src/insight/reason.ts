// A reason why a job does not start, and the codes of all reasons.

/** The codes of all reasons, in the order in which reasons are listed. */
export const reasonCodes = [
  'succeeded',
  'failed',
  'cancelled',
  'running',
  'cancel_requested',
  'owner_lost',
  'database_read_only',
  'attempts_spent',
  'expired',
  'not_due',
  'queue_unknown',
  'queue_paused',
  'limit_paused',
  'limit_full',
  'rate_spent',
  'behind_in_order',
  'no_worker',
  'kind_unserved',
  'version_unserved',
  'crash_suspect_waits',
  'schema_refused',
  'waits_turn',
  'slots_full',
] as const

export type ReasonCode = (typeof reasonCodes)[number]

/** One reason why a job does not start. */
export interface Reason {
  readonly code: ReasonCode
  /** Whether no claim takes the job while this holds. A reason that does not block only makes the job wait longer. */
  readonly blocking: boolean
  /** A sentence that says what is the case. */
  readonly message: string
  /** What to do or to wait for so that this ends, without a capital and a full stop. */
  readonly ends: string
  /** Since when it holds; null where that is unknown. */
  readonly since: Date | null
  /** When it ends by itself; null where that is unknown. */
  readonly until: Date | null
  /** The facts behind the message. Members that do not apply are null. */
  readonly details: ReasonDetails
}

export interface ReasonDetails {
  readonly queue: string | null
  readonly kind: string | null
  readonly version: number | null
  /** Number of live workers: the ones that can run the job, or the ones that cannot where none can. */
  readonly workers: number | null
  /** The slots of these workers. */
  readonly slots: number | null
  /** The jobs that these workers hold; for a limit, the jobs that run under it; for a turn, the jobs that are due. */
  readonly jobs: number | null
  /** What the limit applies to. */
  readonly scope: 'queue' | 'kind' | 'key' | null
  /**
   * The jobs that hold the limit, the longest running first, at most ten; for an order, the job that is next. Null for
   * a caller with bounds.
   */
  readonly heldBy: readonly string[] | null
  /** How many jobs may run under the limit; for a turn, how many it allows to start now. */
  readonly limit: number | null
  /** The versions of the kind that workers of the queue run: `invoice` is the first version, `invoice/2` the second. */
  readonly runs: readonly string[] | null
  /** Other queues whose live workers can run the job. */
  readonly elsewhere: readonly string[] | null
}

/** A reason without its code; absent members take their defaults. */
export type ReasonContent = Pick<Reason, 'message' | 'ends'> &
  Partial<Omit<Reason, 'code' | 'details'>> & { readonly details?: Partial<ReasonDetails> }

/** The reasons that hold, by code. Several limits may have the same code. */
export type ReasonsByCode = Partial<Record<ReasonCode, ReasonContent | readonly ReasonContent[] | undefined>>

export function instant(ms: number | null): Date | null {
  return ms === null ? null : new Date(ms)
}
