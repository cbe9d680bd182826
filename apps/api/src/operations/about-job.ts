import type { Job } from '@queue/core'
import { traceIdOf } from '@queue/core/runtime'

/** How lines of the log name a job. */
export function aboutJob({ id, kind, traceContext }: Job): Readonly<Record<string, string>> {
  const traceId = traceIdOf(traceContext)
  return { job_id: id, kind, ...(traceId === undefined ? {} : { trace_id: traceId }) }
}
