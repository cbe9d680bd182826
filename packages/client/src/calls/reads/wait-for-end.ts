import { ApiError } from '../../api-error.ts'
import { describeValue, InvalidCall } from '../../invalid-call.ts'
import { isEnded } from '../../job-status.ts'
import { pollMsMax, pollMsMin, preferWaitSecondsMax, preferWaitShare } from '../../limits.ts'
import type { CallOptions } from '../../options.ts'
import { deadlineSignal } from '../../request/deadline-signal.ts'
import { sleep } from '../../request/sleep.ts'
import type { Transport } from '../../transport.ts'
import { WaitTimeoutError } from '../../wait-timeout-error.ts'
import type { Job } from '../../wire.ts'
import { getJob } from './get-job.ts'

export interface WaitForOptions extends CallOptions {
  /** How long to wait, in milliseconds. Default: until the job ends. */
  readonly timeoutMs?: number | undefined
}

/**
 * Reads the job with `Prefer: wait` until it has ended. If the API responds at once, or lets no more requests of this key
 * wait, the job is polled.
 */
export async function waitForEnd(
  transport: Transport,
  { job: jobOrId, timeoutMs = Infinity, signal }: WaitForOptions & { readonly job: string | Job },
): Promise<Job> {
  const id = typeof jobOrId === 'string' ? jobOrId : jobOrId.id
  if (typeof id !== 'string')
    throw new InvalidCall(`waitFor takes a job or its id; the id is ${describeValue(id)}`)
  let job = typeof jobOrId === 'string' ? undefined : jobOrId
  const callerSignals = [transport.signal, signal].filter((callerSignal) => callerSignal !== undefined)
  const deadline = deadlineSignal(timeoutMs, callerSignals)
  const timeoutAtMs = performance.now() + timeoutMs
  let mayPreferWait = true
  try {
    for (let pollMs = pollMsMin; job === undefined || !isEnded(job); ) {
      const requestedAtMs = performance.now()
      const leftMs = timeoutAtMs - requestedAtMs
      const latest: Job | undefined = await getJob(transport, {
        id,
        signal: deadline.signal,
        waitSeconds: mayPreferWait ? preferWaitSeconds({ attemptMs: transport.timeoutMs, leftMs }) : 0,
      }).catch(ignoreTooManyWaits)
      mayPreferWait = latest !== undefined
      job = latest ?? job
      if (job !== undefined && isEnded(job)) break
      await sleep(Math.max(0, pollMs - (performance.now() - requestedAtMs)), [deadline.signal])
      pollMs = Math.min(pollMsMax, pollMs * 2)
    }
    return job
  } catch (error) {
    if (deadline.expired()) throw new WaitTimeoutError({ jobId: id, timeoutMs, job })
    throw error
  } finally {
    deadline[Symbol.dispose]()
  }
}

/** Returns undefined if the API lets no more requests of this key wait. Throws every other error. */
function ignoreTooManyWaits(error: unknown): undefined {
  if (!(error instanceof ApiError) || error.error !== 'too_many_waits') throw error
}

/** Whole seconds for `Prefer: wait`. They leave an attempt time for its way there and back, and do not exceed `leftMs`. */
function preferWaitSeconds({ attemptMs, leftMs }: { attemptMs: number; leftMs: number }): number {
  const seconds = Math.floor(Math.min(attemptMs * preferWaitShare, leftMs) / 1_000)
  return Math.max(0, Math.min(preferWaitSecondsMax, seconds))
}
