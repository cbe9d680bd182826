import { randomUUID } from 'node:crypto'
import type { JobDefinition, JobOptions, JobRequest } from '@queue/core'
import { type ClaimedJob, kindRule } from '@queue/core/internal'
import { assertArguments, object } from '@queue/loop/arguments'
import type { z } from 'zod'

/** A job as a handler receives it, built without a database. */
export type BuiltJob = ClaimedJob

/** The options of a job, and the number of its attempt. */
export type BuiltJobOptions = JobOptions & {
  /** The number of this attempt, from 1. Default 1. */
  readonly attempt?: number
}

/**
 * Builds a job of this definition as a worker passes it to its handler: `handler.run(context, job)` resolves with the
 * outcome. Throws `InvalidInput` if an enqueue would.
 */
export function buildJob<Kind extends string, Payload extends z.ZodType>(
  definition: JobDefinition<Kind, Payload>,
  payload: z.input<Payload>,
  jobOptions: BuiltJobOptions = {},
): BuiltJob {
  const rules = { definition: kindRule, payload: () => undefined, options: object }
  assertArguments('buildJob', rules, [definition, payload, jobOptions])
  const { attempt = 1, ...options } = jobOptions
  const request = definition.create(payload, options)
  const now = new Date()
  const id = randomUUID()
  return {
    ...claimedFields(request),
    id,
    lease: { jobId: id, token: attempt },
    attempt,
    isCounted: false,
    crashes: 0,
    cancelRequested: false,
    runAt: request.runAt ?? now,
    waitUs: 0,
    expiresAt: expiryOf(request, now),
    createdAt: now,
    claimedAt: now,
    ctid: '(0,1)',
  }
}

function claimedFields(request: JobRequest) {
  const {
    queue,
    kind,
    kindVersion,
    tenantId,
    key,
    payload,
    priority,
    maxAttempts,
    timeoutMs,
    retryPolicy,
    traceContext,
    metadata,
    sensitive,
  } = request
  return {
    queue,
    kind,
    kindVersion,
    tenantId,
    key,
    payload,
    priority,
    maxAttempts,
    timeoutMs,
    retryPolicy,
    traceContext,
    metadata,
    sensitive,
  }
}

function expiryOf({ expiresAt, expiresInMs }: JobRequest, now: Date): Date | null {
  return expiresInMs === null ? expiresAt : new Date(now.getTime() + expiresInMs)
}
