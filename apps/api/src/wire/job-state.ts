import type { JobState } from '@queue/core'

/** The data of an event, in the names and types of the wire. */
export function encodeJobState(state: JobState): Readonly<Record<string, unknown>> {
  return {
    id: state.id,
    status: state.status,
    attempts: state.attempts,
    max_attempts: state.maxAttempts,
    cancel_requested: state.cancelRequested,
    progress: state.progress,
    progress_message: state.progressMessage,
    updated_at: state.updatedAt.toISOString(),
  }
}
