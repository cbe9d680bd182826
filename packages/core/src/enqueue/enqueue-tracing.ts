import { having, optional } from '@queue/loop/arguments'
import type { JobRequest } from '../domain/job-definition.ts'
import type { EnqueueMany } from './enqueue.ts'
import type { Enqueued } from '../transitions/enqueue-jobs.ts'

/** The part of a tracing system that enqueues use. `createTracing` of `@queue/telemetry` makes one. */
export interface EnqueueTracing {
  /**
   * Runs `write` as one operation of a trace, and returns its result. The requests that it passes to `write` carry the
   * trace context of that operation, which the attempts of their jobs continue.
   */
  send(
    requests: readonly JobRequest[],
    write: (requests: readonly JobRequest[]) => Promise<Enqueued[]>,
  ): Promise<Enqueued[]>
}

export const tracingRule = optional(having('a tracing, which createTracing returns', 'send'))

/** `enqueueMany`, with one operation of a trace for each call. */
export function traceEnqueues(enqueueMany: EnqueueMany, tracing: EnqueueTracing | undefined): EnqueueMany {
  if (tracing === undefined) return enqueueMany
  return (requests, target) => tracing.send(requests, (traced) => enqueueMany(traced, target))
}
