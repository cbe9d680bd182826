import type { Completion, UnbegunJob } from '@queue/core/internal'
import { type AbortReason, AttemptAborted } from '@queue/executor'
import type { AttemptLog } from './attempt-log.ts'
import type { HandlerTransaction } from './handler-transaction.ts'
import type { AttemptHiddenValues } from './hidden-values.ts'

/** The progress of an attempt, in the form that the database stores. */
export interface Progress {
  /** 0..100, whole. */
  readonly percent: number
  readonly message: string | null
}

/** One attempt in memory, from its start until its end is recorded. */
export class Attempt {
  readonly job: UnbegunJob
  /** The last known position of the job's row: see `checkLeases`. */
  ctid: string
  /** The handler's last report, until it is written. */
  progress: Progress | undefined
  /** The write of its progress that is in flight. */
  progressWrite: Promise<void> | undefined
  /** The log of its handler; undefined before the first line. */
  log: AttemptLog | undefined
  /** Its only transaction; undefined until the handler calls `ctx.transaction`. */
  transaction: HandlerTransaction | undefined
  /** The release of the job while its handler still runs. The handler's outcome is then no longer recorded. */
  release: Promise<Completion> | undefined
  /** What its errors, logs and progress hide; undefined where nothing is declared. */
  hidden: AttemptHiddenValues | undefined
  /** False once the handler has settled and only its end is left to record. */
  executing = true
  #abortReason: AbortReason | undefined
  #controller: AbortController | undefined

  constructor(job: UnbegunJob) {
    this.job = job
    this.ctid = job.ctid
  }

  /** Created on first use: most handlers never read it, and it costs more than the rest of an attempt. */
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController()
      if (this.#abortReason !== undefined) this.#controller.abort(new AttemptAborted(this.#abortReason))
    }
    return this.#controller.signal
  }

  /** Why the attempt was aborted; undefined if it was not. Later reasons do not replace the first. */
  get abortReason(): AbortReason | undefined {
    return this.#abortReason
  }

  /** A thrown or logged value, without the sensitive values of the payload. */
  shown(value: unknown): unknown {
    return this.hidden === undefined ? value : this.hidden.value(value)
  }

  abort(reason: AbortReason): void {
    if (this.#abortReason !== undefined) return
    this.#abortReason = reason
    this.#controller?.abort(new AttemptAborted(reason))
  }
}
