// The document that enqueues a job: the body of POST /jobs, and what the command line makes of its options.
import { z } from 'zod'
import { jobFields } from './job.ts'
import { optionMembers } from './option-members.ts'
import { anyJson } from './wire-values.ts'

/** The request that enqueues a job. The payload is validated by its kind. */
export const createJobSchema = z
  .strictObject({
    kind: jobFields.kind.meta({ description: 'Kind of the job. The server must know it.' }),
    payload: anyJson.meta({ description: 'Input of the handler.' }),
    ...optionMembers('enqueue'),
  })
  .refine((job) => job.run_at === undefined || job.delay_ms === undefined, {
    path: ['delay_ms'],
    error: 'give run_at or delay_ms, not both',
  })
  .meta({ id: 'CreateJob' })

export type CreateJobDocument = z.output<typeof createJobSchema>
