import type { JobState } from '@queue/core'
import type { Masker } from '@queue/core/fields'
import { z } from 'zod'
import { jobStatus } from './job.ts'
import { instantOutput } from './values.ts'

/** What changes of a job while it runs, without what its handler says: nothing of it is masked. */
export const jobStateSchema = z
  .object({
    id: z.uuid(),
    status: jobStatus,
    attempts: z.int().min(0).meta({ description: 'Attempts begun so far.' }),
    max_attempts: z.int().min(1).meta({ description: 'How many attempts it may have.' }),
    cancel_requested: z.boolean(),
    progress: z
      .int()
      .min(0)
      .max(100)
      .nullable()
      .meta({ description: 'Percent, as the handler last reported it.' }),
    updated_at: instantOutput.meta({ description: 'When it last changed.' }),
  })
  .meta({ id: 'JobStateSummary', description: 'What changes of a job while it runs.' })

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

/** The data of an event: the same, with what the handler says of it. */
export function encodeProgress(
  state: JobState,
  masker: Pick<Masker, 'text'>,
): Readonly<Record<string, unknown>> {
  return {
    ...encodeJobState(state),
    progress_message: state.progressMessage && masker.text(state.progressMessage),
  }
}

/** One as the documentation shows it. */
export const jobStateExample = {
  id: '01980d3c-7a1e-7c3a-9f52-3b1f6c0de001',
  status: 'running',
  attempts: 1,
  max_attempts: 3,
  cancel_requested: false,
  progress: 40,
  updated_at: '2026-01-15T09:30:00.431Z',
} satisfies z.output<typeof jobStateSchema>
