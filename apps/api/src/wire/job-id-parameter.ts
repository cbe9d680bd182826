import { z } from 'zod'

/** The parameters of a job's path. Text that is no id names no job: 404, and not a complaint about its form. */
export const jobIdParameters = z.object({
  id: z.string().meta({
    format: 'uuid',
    description: 'The id of the job.',
    example: '01980d3c-7a1e-7c3a-9f52-3b1f6c0de001',
  }),
})
