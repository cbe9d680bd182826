import { jobStatuses } from '@queue/core'
import { z } from 'zod'

export const jobStatus = z.enum(jobStatuses).meta({
  id: 'JobStatus',
  description: 'The state of a job; succeeded, failed_permanent and cancelled are final.',
})
