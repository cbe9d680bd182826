import type { Operation } from '../http/operation.ts'
import { cancelJob } from './cancel-job.ts'
import { createJob } from './create-job.ts'
import { createJobs } from './create-jobs.ts'
import { docs } from './docs.ts'
import { docsAsset } from './docs-asset.ts'
import { getJob } from './get-job.ts'
import { health } from './health.ts'
import { listExecutions } from './list-executions.ts'
import { listJobs } from './list-jobs.ts'
import { livez } from './livez.ts'
import { metrics } from './metrics.ts'
import { openApiDocument } from './openapi-document.ts'
import { readyz } from './readyz.ts'
import { requeueJob } from './requeue-job.ts'

/** The API. A path is matched in this order, so literal paths stand before those with a parameter in their place. */
export const operations: readonly Operation[] = [
  createJob,
  createJobs,
  listJobs,
  getJob,
  listExecutions,
  cancelJob,
  requeueJob,
  livez,
  readyz,
  health,
  metrics,
  docs,
  docsAsset,
  openApiDocument,
]
