import type { Job } from './wire.ts'

/** A job had not ended when the caller's patience had. The job itself goes on. */
export class WaitTimeoutError extends Error {
  override readonly name = 'WaitTimeoutError'
  readonly jobId: string
  /** The job as it was last seen; undefined if it never was. */
  readonly job: Job | undefined

  constructor(options: {
    readonly jobId: string
    readonly timeoutMs: number
    readonly job: Job | undefined
  }) {
    const seen = options.job === undefined ? 'was not seen' : `was ${options.job.status}`
    super(`job ${options.jobId} had not ended after ${options.timeoutMs} ms: it ${seen} when last asked for`)
    this.jobId = options.jobId
    this.job = options.job
  }
}
