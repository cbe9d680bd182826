import type { Snapshot } from '../record/snapshot.ts'
import type { Span, Version } from './row-versions.ts'

/** The acts whose changes are followed, by the names under which their sessions make them. */
export type ActName =
  | 'cancel'
  | 'requeue'
  | 'reschedule'
  | 'undo'
  | 'undo_cancel'
  | 'undo_requeue'
  | 'delete'
  | 'erase'
  | 'purge'
  | 'requeue_dead_letters'
  | 'delete_dead_letter'
  | 'enqueue'
  | 'replace'
  | 'edit'
  | 'run_now'
  | 'claim'
  | 'end'
  | 'expire'
  | 'prune'
  | 'carry_out'

/** An act on one job, or a claim, that was answered: how many rows it says that it has changed. */
export interface AnsweredOne {
  /** The name under which its changes are recorded. */
  readonly name: string
  readonly jobs: number
  /** Whether its answer is the same where it has found nothing left to do. */
  readonly mayChangeNothing?: true
  /** Dead letters that it has removed or added; absent: as many as belong to its change. */
  readonly deadLetters?: number
}

/** An act on many that was answered. */
export interface AnsweredMany extends Span {
  readonly act: ActName
  /** What was asked, for the description of a fault. */
  readonly request: unknown
  /** The names under which its changes are recorded: one, or one for each batch. */
  readonly names: readonly string[]
  /** Whether it selects this state of a job or, in a requeue of dead letters, of a dead letter. */
  readonly selects: (version: Version) => boolean
  /** The new start, of a reschedule. */
  readonly runAt?: Date
  /** How many jobs it says that it has changed, and how many it has left alone that it had selected. */
  readonly changed: number
  readonly skipped?: number | undefined
  /** The jobs that it says that it has changed, where it says so. */
  readonly ids?: readonly string[]
  /** What names its entries in the audit log; absent: it has none. */
  readonly audited?: string | undefined
}

/** A dry run that was answered. */
export interface AnsweredDryRun extends Span, Pick<AnsweredMany, 'act' | 'request' | 'selects' | 'runAt'> {
  readonly count: number
}

/** An operation that was started, until its last batch has made it an answered act. */
export interface StartedOperation
  extends Pick<AnsweredMany, 'act' | 'request' | 'selects' | 'runAt' | 'audited'> {
  readonly id: string
  readonly before: Snapshot
}

/** A batch that was carried out. */
export interface CarriedOut {
  readonly name: string
  readonly operation: string
  readonly ids: readonly string[]
  /** After the batch. */
  readonly after: Snapshot
}

/** What the sessions have recorded. */
export interface Records {
  readonly ones: AnsweredOne[]
  readonly many: AnsweredMany[]
  readonly dryRuns: AnsweredDryRun[]
  readonly operations: StartedOperation[]
  readonly batches: CarriedOut[]
  /** Errors that no caller should see. */
  readonly faults: string[]
  /** Acts that were refused with a code of the library. */
  refused: number
}

export function emptyRecords(): Records {
  return { ones: [], many: [], dryRuns: [], operations: [], batches: [], faults: [], refused: 0 }
}
