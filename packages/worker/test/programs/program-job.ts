import { defineJob } from '@queue/core'
import { z } from 'zod'

/** The job of the test program. */
export const programJob = defineJob({ kind: 'program_job', payload: z.looseObject({}) })
