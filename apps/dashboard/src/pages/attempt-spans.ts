import type { Execution, Job } from '@queue/client'

/** How long an attempt took, and how long the job had waited for it: since it was made, or since the attempt before. */
export interface AttemptSpan {
  readonly attempt: Execution
  readonly waitedMs: number
  readonly ranMs: number
}

export function attemptSpans(job: Job, attempts: readonly Execution[]): readonly AttemptSpan[] {
  return attempts.map((attempt, index) => {
    const startedMs = Date.parse(attempt.started_at)
    const before = attempts[index - 1]?.finished_at ?? job.created_at
    return {
      attempt,
      waitedMs: Math.max(0, startedMs - Date.parse(before)),
      ranMs: Date.parse(attempt.finished_at) - startedMs,
    }
  })
}
