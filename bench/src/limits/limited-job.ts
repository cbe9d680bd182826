import { defineJob } from '@queue/core'
import { z } from 'zod'

/** The job of this part of the benchmark. Its key is an option of each enqueue. */
export const limitedJob = defineJob({ kind: 'limited', payload: z.object({}) })
