// A reason why a job does not start, and the codes of all there are.

/** Why a job does not start, in the order in which reasons are given. */
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
  'waits_turn',
  'slots_full',
] as const

export type ReasonCode = (typeof reasonCodes)[number]

/** One reason why a job does not start. */
export interface Reason {
  readonly code: ReasonCode
  /** Whether no claim takes the job while it holds; one that does not block only lets the job wait for longer. */
  readonly blocking: boolean
  /** What is so. */
  readonly message: string
  /** What ends it. */
  readonly ends: string
  /** Since when; null where that is not known. */
  readonly since: Date | null
  /** When it ends by itself; null where nobody can say. */
  readonly until: Date | null
  /** What it is about; null where it is not about such a thing. */
  readonly details: ReasonDetails
}

export interface ReasonDetails {
  readonly queue: string | null
  readonly kind: string | null
  readonly version: number | null
  /** How many live workers: those that can run it, or of those none can. */
  readonly workers: number | null
  /** Their slots. */
  readonly slots: number | null
  /** The jobs that they hold; of a limit, those that run under it; of a turn, those that are due. */
  readonly jobs: number | null
  /** What the limit is about. */
  readonly scope: 'queue' | 'kind' | 'key' | null
  /**
   * The jobs that hold the limit, those that have run for longest, and no more than ten; of an order, the job that is next. Null for a
   * caller with bounds.
   */
  readonly heldBy: readonly string[] | null
  /** How many jobs may run under the limit; of a turn, how many it lets start now. */
  readonly limit: number | null
  /** What workers of the queue run of the kind: `invoice` is its first version, `invoice/2` the second. */
  readonly runs: readonly string[] | null
  /** Other queues whose live workers can run it. */
  readonly elsewhere: readonly string[] | null
}

export type Said = Pick<Reason, 'message' | 'ends'> &
  Partial<Omit<Reason, 'code' | 'details'>> & { readonly details?: Partial<ReasonDetails> }

/** What is so, by its code. Several limits may be so at once. */
export type Found = Partial<Record<ReasonCode, Said | readonly Said[] | undefined>>

export function instant(ms: number | null): Date | null {
  return ms === null ? null : new Date(ms)
}
