import { type Job, isTerminal } from '@queue/core'
import { z } from 'zod'
import { waitSecondsMax } from '../../http/limits.ts'
import type { RequestContext } from '../../http/request-context.ts'
import type { Services } from '../../services.ts'
import { waitForEnd } from '../../watch/wait-for-end.ts'

/** The Prefer header of requests that can wait for a job. */
export const waitPreferHeader = z.string().optional().meta({
  description:
    '`wait=N` (RFC 7240) delays the response until the job has ended, for at most N seconds (maximum 25).',
})

/** The description of the Preference-Applied header. */
export const preferenceApplied = '`wait=N`, with the applied maximum wait in seconds.'

export interface WaitIfPreferredOptions {
  readonly preferences: ReadonlyMap<string, string>
  readonly context: RequestContext
  readonly services: Pick<Services, 'admission' | 'queue' | 'watcher' | 'waitMsMax' | 'stopping'>
}

export interface Waited {
  /** The job after the wait; undefined where it was removed meanwhile. */
  readonly latest: () => Promise<Job | undefined>
  /** The Preference-Applied header; empty if the request had no such preference. */
  readonly applied: Readonly<Record<string, string>>
}

/**
 * Waits until the job has ended or the preferred wait, counted from the arrival of the request, is over. A job that lives again by
 * the time it is read is waited for again.
 */
export async function waitIfPreferred(job: Job, options: WaitIfPreferredOptions): Promise<Waited> {
  const { context, services } = options
  const seconds = preferredWaitSeconds(options.preferences)
  const asItWas = (): Promise<Job> => Promise.resolve(job)
  if (seconds === undefined) return { latest: asItWas, applied: {} }
  const applied = { 'preference-applied': `wait=${seconds}` }
  if (isTerminal(job.status)) return { latest: asItWas, applied }
  const untilMs = context.startedAtMs + Math.min(seconds * 1_000, services.waitMsMax)
  const wait = async (): Promise<boolean> => {
    const startedAtMs = performance.now()
    const { watcher, stopping } = services
    const hasEnded = await waitForEnd(job.id, { watcher, ms: untilMs - startedAtMs, context, stopping })
    context.waitedMs += performance.now() - startedAtMs
    return hasEnded
  }
  const read = () => services.admission.run(context, 'light', () => services.queue.get(job.id))
  let hasEnded = await wait()
  if (context.isClosed) return { latest: asItWas, applied }
  const latest = async (): Promise<Job | undefined> => {
    let found = await read()
    while (hasEnded && found !== undefined && !isTerminal(found.status)) {
      hasEnded = await wait()
      found = await read()
    }
    return found
  }
  return { latest, applied }
}

/** Call it before the operation has any effect, so that a refused request has none. Throws `too_many_waits`. */
export function reserveWait(
  preferences: ReadonlyMap<string, string>,
  { context, services }: { readonly context: RequestContext; readonly services: Pick<Services, 'budgets'> },
): void {
  if (preferredWaitSeconds(preferences) !== undefined) services.budgets.waits.take(context, 1)
}

/** The preferred wait. A malformed preference is ignored, as RFC 7240 demands. */
export function preferredWaitSeconds(preferences: ReadonlyMap<string, string>): number | undefined {
  const wait = preferences.get('wait')
  return wait !== undefined && /^\d+$/.test(wait) ? Math.min(Number(wait), waitSecondsMax) : undefined
}
