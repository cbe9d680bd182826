import { defineJob } from '@queue/core'
import { z } from 'zod'

/** The only kind that the test program runs. */
export const programJob = defineJob({ kind: 'program_job', payload: z.looseObject({}) })
