import type { JobRequest } from './domain/job-definition.ts'
import type { EnqueueMany } from './enqueue.ts'
import type { Enqueued } from './transitions/enqueue-jobs.ts'

/** A tracing system, as far as enqueues are concerned; `createTracing` of `@queue/telemetry` makes one. */
export interface EnqueueTracing {
  /**
   * Runs `write` as one operation of a trace, and gives what it gives. The requests that it hands to `write` carry the
   * trace context of that operation, which the attempts of their jobs will go on from.
   */
  send(
    requests: readonly JobRequest[],
    write: (requests: readonly JobRequest[]) => Promise<Enqueued[]>,
  ): Promise<Enqueued[]>
}

/** `enqueueMany`, each call of which is one operation of a trace. */
export function traceEnqueues(enqueueMany: EnqueueMany, tracing: EnqueueTracing | undefined): EnqueueMany {
  if (tracing === undefined) return enqueueMany
  return (requests, target) => tracing.send(requests, (traced) => enqueueMany(traced, target))
}
