import type { Job } from './wire.ts'

/** A job did not end within the time that the caller gave. The job itself continues. */
export class WaitTimeoutError extends Error {
  override readonly name = 'WaitTimeoutError'
  readonly jobId: string
  /** The job as it was last read. Undefined if it was never read. */
  readonly job: Job | undefined

  constructor(options: {
    readonly jobId: string
    readonly timeoutMs: number
    readonly job: Job | undefined
  }) {
    const lastStatus =
      options.job === undefined ? 'its status is unknown' : `its last known status is ${options.job.status}`
    super(`job ${options.jobId} did not end within ${options.timeoutMs} ms; ${lastStatus}`)
    this.jobId = options.jobId
    this.job = options.job
  }
}
