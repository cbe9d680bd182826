import { ApiError } from '../api-error.ts'
import { isEnded } from '../job-status.ts'
import { pollMsMax, pollMsMin, preferWaitSecondsMax, preferWaitShare } from '../limits.ts'
import type { CallOptions } from '../options.ts'
import { deadlineSignal } from '../request/deadline-signal.ts'
import { sleep } from '../request/sleep.ts'
import type { Transport } from '../transport.ts'
import { WaitTimeoutError } from '../wait-timeout-error.ts'
import type { Job } from '../wire.ts'
import { getJob } from './get-job.ts'

export interface WaitForOptions extends CallOptions {
  /** Milliseconds until it gives up. Absent: as long as the job takes. */
  readonly timeoutMs?: number | undefined
}

/**
 * Asks for the job with `Prefer: wait` until it has ended. It is polled where the API answers at once, or lets no more
 * requests of this key wait.
 */
export async function waitForEnd(
  transport: Transport,
  { job: given, timeoutMs = Infinity, signal }: WaitForOptions & { readonly job: string | Job },
): Promise<Job> {
  const id = typeof given === 'string' ? given : given.id
  let job = typeof given === 'string' ? undefined : given
  const callers = [transport.signal, signal].filter((one) => one !== undefined)
  const deadline = deadlineSignal(timeoutMs, callers)
  const endsAtMs = performance.now() + timeoutMs
  let mayWait = true
  try {
    for (let pollMs = pollMsMin; job === undefined || !isEnded(job); ) {
      const askedAtMs = performance.now()
      const waitSeconds = waitSecondsOf({ attemptMs: transport.timeoutMs, leftMs: endsAtMs - askedAtMs })
      const asked: Job | undefined = await getJob(transport, {
        id,
        signal: deadline.signal,
        waitSeconds: mayWait ? waitSeconds : 0,
      }).catch(refusedWait)
      mayWait = asked !== undefined
      job = asked ?? job
      if (job !== undefined && isEnded(job)) break
      await sleep(Math.max(0, pollMs - (performance.now() - askedAtMs)), [deadline.signal])
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

/** Undefined where the API has refused to wait; throws every other error. */
function refusedWait(error: unknown): undefined {
  if (!(error instanceof ApiError) || error.error !== 'too_many_waits') throw error
}

/** Whole seconds that leave an attempt time for its way, and do not outlast the caller's patience. */
function waitSecondsOf({ attemptMs, leftMs }: { attemptMs: number; leftMs: number }): number {
  return Math.max(
    0,
    Math.min(preferWaitSecondsMax, Math.floor(Math.min(attemptMs * preferWaitShare, leftMs) / 1_000)),
  )
}
