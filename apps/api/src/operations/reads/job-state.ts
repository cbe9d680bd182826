import type { JobState } from '@queue/core'
import { instantOutput } from '@queue/core/internal'
import { z } from 'zod'
import { jobStatus } from '../../wire/job-status.ts'

/** The members that change while a job runs. The progress message is not among them. */
export const jobStateSchema = z
  .object({
    id: z.uuid().meta({ description: 'Id of the job.' }),
    status: jobStatus,
    attempts: z.int().min(0).meta({ description: 'Number of attempts so far, including a running one.' }),
    max_attempts: z.int().min(1).meta({ description: 'Maximum number of attempts.' }),
    cancel_requested: z.boolean().meta({ description: 'Whether cancellation was requested.' }),
    progress: z.int().min(0).max(100).nullable().meta({
      description: 'Progress in percent, as last reported by the handler. Null if it has reported none.',
    }),
    updated_at: instantOutput.meta({ description: 'Time of the last change.' }),
  })
  .meta({ id: 'JobStateSummary', description: 'The members of a job that change while it runs.' })

export function encodeJobState(state: JobState): z.output<typeof jobStateSchema> {
  return {
    id: state.id,
    status: state.status,
    attempts: state.attempts,
    max_attempts: state.maxAttempts,
    cancel_requested: state.cancelRequested,
    progress: state.progress,
    updated_at: state.updatedAt.toISOString(),
  }
}

/** Encodes the data of an event: the state and the progress message. */
export function encodeProgress(state: JobState): Readonly<Record<string, unknown>> {
  return {
    ...encodeJobState(state),
    progress_message: state.progressMessage,
  }
}

/** The example of the documentation. */
export const jobStateExample = {
  id: '01980d3c-7a1e-7c3a-9f52-3b1f6c0de001',
  status: 'running',
  attempts: 1,
  max_attempts: 3,
  cancel_requested: false,
  progress: 40,
  updated_at: '2026-01-15T09:30:00.431Z',
} satisfies z.output<typeof jobStateSchema>
