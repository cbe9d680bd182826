import type { Completion, UnbegunJob } from '@queue/core/runtime'
import { type AbortReason, AttemptAborted } from '@queue/executor'
import type { AttemptLog } from './attempt-log.ts'
import type { HandlerTransaction } from './handler-transaction.ts'

/** How far an attempt is, as the database can hold it. */
export interface Progress {
  /** 0..100, whole. */
  readonly percent: number
  readonly message: string | null
}

/** One attempt from its start until its end is recorded: what the runtime holds in memory of a claimed job. */
export class Attempt {
  readonly job: UnbegunJob
  /** The last known position of the job's row: see `checkLeases`. */
  ctid: string
  /** The handler's last report, while it is not written yet. */
  progress: Progress | undefined
  /**
   * When the attempt must have ended, its grace included, by `monotonicMs`; undefined without a timeout, and once it
   * has ended or was given up.
   */
  deadlineMs: number | undefined
  /** The write of its progress that is under way. */
  progressWrite: Promise<void> | undefined
  /** What its handler has logged, from its first line on. */
  log: AttemptLog | undefined
  /** Its one transaction, from the handler's call on. */
  transaction: HandlerTransaction | undefined
  /** The release of the job while its handler goes on: the handler's outcome is not recorded any more. */
  release: Promise<Completion> | undefined
  /** False once the handler has settled, and what remains is to record it. */
  executing = true
  #abortReason: AbortReason | undefined
  #controller: AbortController | undefined

  constructor(job: UnbegunJob) {
    this.job = job
    this.ctid = job.ctid
  }

  /** Made on first use: most handlers never read it, and it costs more than everything else here. */
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController()
      if (this.#abortReason !== undefined) this.#controller.abort(new AttemptAborted(this.#abortReason))
    }
    return this.#controller.signal
  }

  /** Why the attempt was aborted; undefined while it was not. The first reason stays. */
  get abortReason(): AbortReason | undefined {
    return this.#abortReason
  }

  abort(reason: AbortReason): void {
    if (this.#abortReason !== undefined) return
    this.#abortReason = reason
    this.#controller?.abort(new AttemptAborted(reason))
  }
}
