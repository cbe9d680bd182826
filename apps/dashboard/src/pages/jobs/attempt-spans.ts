import type { Execution, Job } from '@queue/client'

/** The run time of an attempt, and the wait before it: since the creation of the job, or since the previous attempt. */
export interface AttemptSpan {
  readonly attempt: Execution
  readonly waitedMs: number
  readonly ranMs: number
}

export function attemptSpans(job: Job, attempts: readonly Execution[]): readonly AttemptSpan[] {
  return attempts.map((attempt, index) => {
    const startedMs = Date.parse(attempt.started_at)
    const waitStart = attempts[index - 1]?.finished_at ?? job.created_at
    return {
      attempt,
      waitedMs: Math.max(0, startedMs - Date.parse(waitStart)),
      ranMs: Date.parse(attempt.finished_at) - startedMs,
    }
  })
}
