import { assertArguments, object } from '@queue/loop/arguments'
import { fingerprint, runKeyPrefix } from '../domain/idempotency.ts'
import type { JobRequest } from '../domain/job-definition.ts'
import type { Schedule } from './schedule-row.ts'

/**
 * The idempotency key of a run. Besides the lock of the schedule's row, the unique index of keys guarantees that one
 * instant never gets two jobs.
 */
export function runKey(name: string, instantMs: number): string {
  return `${runKeyPrefix}${name}@${new Date(instantMs).toISOString()}`
}

/** The schedule and the instant of a scheduled job, from its idempotency key; undefined for a job that no schedule enqueued. */
export function scheduledRunOf(job: {
  readonly idempotencyKey: string | null
}): { readonly schedule: string; readonly instant: Date } | undefined {
  assertArguments('scheduledRunOf', { job: object }, [job])
  const [, schedule, instant] = /^schedule:([^@]+)@(.+)$/.exec(job.idempotencyKey ?? '') ?? []
  if (schedule === undefined || instant === undefined) return undefined
  return { schedule, instant: new Date(instant) }
}

/** A job of the schedule, with this idempotency key or none. */
export function jobOf(schedule: Schedule, idempotencyKey: string | null): JobRequest {
  const { kind, kindVersion, payload, sensitive, openResults, options } = schedule
  const { queue } = options
  return {
    ...options,
    kind,
    kindVersion,
    payload,
    sensitive,
    openResults,
    payloadText: JSON.stringify(payload),
    runAt: null,
    delayMs: null,
    expiresAt: null,
    idempotencyKey,
    fingerprint: idempotencyKey === null ? null : fingerprint({ kind, queue, payload }),
    tenantId: null,
    traceContext: null,
  }
}
