import { isTerminal, type Job } from '@queue/core'
import { z } from 'zod'
import { waitSecondsMax } from '../http/limits.ts'
import type { RequestContext } from '../http/request-context.ts'
import type { Services } from '../services.ts'
import { waitForEnd } from '../watch/wait-for-end.ts'

/** The header of requests that can wait for a job. */
export const waitPreferHeader = z.string().optional().meta({
  description:
    'With wait=N (RFC 7240) the answer comes when the job has ended, at the latest after N seconds (25 at most).',
})

/** What the header Preference-Applied says, for the document. */
export const preferenceApplied = 'wait=N, where N is the longest wait in seconds that was applied.'

export interface WaitIfPreferredOptions {
  readonly preferences: ReadonlyMap<string, string>
  readonly context: RequestContext
  readonly services: Pick<Services, 'queue' | 'watcher' | 'waitMsMax' | 'stopping'>
}

export interface Waited {
  readonly job: Job
  /** The header that says that the preference was met; empty without one. */
  readonly applied: Readonly<Record<string, string>>
}

/**
 * The job when it has ended, or as it is when the time that the client would wait is up, counted from the arrival of
 * its request. A database that is away then changes nothing of what is known: the job as it was is the answer.
 */
export async function waitIfPreferred(job: Job, options: WaitIfPreferredOptions): Promise<Waited> {
  const { context, services } = options
  const seconds = secondsOf(options.preferences)
  if (seconds === undefined) return { job, applied: {} }
  const applied = { 'preference-applied': `wait=${seconds}` }
  if (isTerminal(job.status)) return { job, applied }
  const passedMs = performance.now() - context.startedAtMs
  const ms = Math.min(seconds * 1_000, services.waitMsMax) - passedMs
  const signals = [context.closed, services.stopping]
  const waitsSinceMs = performance.now()
  await waitForEnd(job.id, { watcher: services.watcher, ms, signals })
  context.waitedMs += performance.now() - waitsSinceMs
  if (context.closed.aborted) return { job, applied }
  const latest = await services.queue.get(job.id).catch(() => undefined)
  return { job: latest ?? job, applied }
}

/** Before anything is done: a request that may not wait has had no effect. Throws `too_many_waits`. */
export function reserveWait(
  preferences: ReadonlyMap<string, string>,
  { context, services }: { readonly context: RequestContext; readonly services: Pick<Services, 'budgets'> },
): void {
  if (secondsOf(preferences) !== undefined) services.budgets.waits.take(context, 1)
}

/** A wait that is no whole number of seconds is none, as RFC 7240 has malformed preferences ignored. */
export function secondsOf(preferences: ReadonlyMap<string, string>): number | undefined {
  const wait = preferences.get('wait')
  return wait !== undefined && /^\d+$/.test(wait) ? Math.min(Number(wait), waitSecondsMax) : undefined
}
