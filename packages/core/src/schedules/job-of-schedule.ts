import { fingerprint, runKeyPrefix } from '../domain/idempotency.ts'
import type { JobRequest } from '../domain/job-definition.ts'
import type { Schedule } from './schedule-row.ts'

/**
 * The key of a run: a unique index over keys is the second wall, beside the lock of the schedule's row, that keeps one
 * instant from getting two jobs.
 */
export function runKey(name: string, instantMs: number): string {
  return `${runKeyPrefix}${name}@${new Date(instantMs).toISOString()}`
}

/** Which run of which schedule a job is, by its idempotency key; undefined for a job that no schedule has made. */
export function scheduledRunOf(job: {
  readonly idempotencyKey: string | null
}): { readonly schedule: string; readonly instant: Date } | undefined {
  const [, schedule, instant] = /^schedule:([^@]+)@(.+)$/.exec(job.idempotencyKey ?? '') ?? []
  if (schedule === undefined || instant === undefined) return undefined
  return { schedule, instant: new Date(instant) }
}

/** The job of a schedule, under this key or none. */
export function jobOf(schedule: Schedule, idempotencyKey: string | null): JobRequest {
  const { kind, kindVersion, payload, options } = schedule
  const { queue } = options
  return {
    ...options,
    kind,
    kindVersion,
    payload,
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
