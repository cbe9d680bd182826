import { jobStatuses } from '@queue/core'
import { z } from 'zod'

export const jobStatus = z.enum(jobStatuses).meta({
  id: 'JobStatus',
  description: 'Status of the job. `succeeded`, `failed_permanent` and `cancelled` are final.',
})
