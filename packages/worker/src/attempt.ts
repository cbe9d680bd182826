import type { Completion, UnbegunJob } from '@queue/core/runtime'
import { type AbortReason, AttemptAborted } from '@queue/executor'
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
  /** Where the row of the job was last seen: see `checkLeases`. */
  ctid: string
  /** What the handler last reported and what is not written yet. */
  progress: Progress | undefined
  /**
   * When the attempt must have ended, its grace included, by `monotonicMs`; undefined without a timeout, and once it
   * has ended or was given up.
   */
  deadlineMs: number | undefined
  /** The write of its progress that is on its way. */
  reporting: Promise<void> | undefined
  /** Its one transaction, from the handler's call on. */
  transaction: HandlerTransaction | undefined
  /** The release of the job while its handler goes on: whatever that comes to is no longer recorded. */
  release: Promise<Completion> | undefined
  /** False once the handler has settled, and what remains is to record it. */
  executing = true
  #abortReason: AbortReason | undefined
  #controller: AbortController | undefined

  constructor(job: UnbegunJob) {
    this.job = job
    this.ctid = job.ctid
  }

  /** Made when it is first asked for: most handlers never look at it, and it costs more than all else here. */
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController()
      if (this.#abortReason !== undefined) this.#controller.abort(new AttemptAborted(this.#abortReason))
    }
    return this.#controller.signal
  }

  /** Why the attempt was told to stop; undefined while it was not. The first reason stays. */
  get abortReason(): AbortReason | undefined {
    return this.#abortReason
  }

  abort(reason: AbortReason): void {
    if (this.#abortReason !== undefined) return
    this.#abortReason = reason
    this.#controller?.abort(new AttemptAborted(reason))
  }
}
