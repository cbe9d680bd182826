import type { Operation } from '../http/operation.ts'
import { shared } from '../http/shared-operation.ts'
import { cancelJobs, deleteJobs, eraseJobs, requeueJobs, rescheduleJobs } from './act-on-jobs.ts'
import { cancelOperation } from './cancel-operation.ts'
import { cancelJob } from './cancel-job.ts'
import { createJob } from './create-job.ts'
import { createJobs } from './create-jobs.ts'
import { deleteDeadLetter } from './delete-dead-letter.ts'
import { docsAsset } from './docs-asset.ts'
import { docs } from './docs.ts'
import { duplicateJob } from './duplicate-job.ts'
import { editJob } from './edit-job.ts'
import { getDeadLetter } from './get-dead-letter.ts'
import { getAttention } from './get-attention.ts'
import { getDiagnosis } from './get-diagnosis.ts'
import { getExpectedStart } from './get-expected-start.ts'
import { getWhy } from './get-why.ts'
import { getJobEvents } from './get-job-events.ts'
import { getJob } from './get-job.ts'
import { getKind } from './get-kind.ts'
import { getMe } from './get-me.ts'
import { getStats } from './get-stats.ts'
import { health } from './health.ts'
import { createJobLink, getLinkedJob } from './job-links.ts'
import { listAudit } from './list-audit.ts'
import { listDeadLetters } from './list-dead-letters.ts'
import { listExecutions } from './list-executions.ts'
import { listJobs } from './list-jobs.ts'
import { listErrors } from './list-errors.ts'
import { listJobStates } from './list-job-states.ts'
import { listJobLogs } from './list-job-logs.ts'
import { listKeys } from './list-keys.ts'
import { listKinds } from './list-kinds.ts'
import { listLimits } from './list-limits.ts'
import { listQueueKeys } from './list-queue-keys.ts'
import { listQueues } from './list-queues.ts'
import { listWorkers } from './list-workers.ts'
import { livez } from './livez.ts'
import { metrics } from './metrics.ts'
import { openApiDocument } from './openapi-document.ts'
import { pauseQueue, resumeQueue } from './pause-and-resume-queue.ts'
import { purgeQueue } from './purge-queue.ts'
import { getOperation, listOperations } from './read-operations.ts'
import { readyz } from './readyz.ts'
import { registerKinds } from './register-kinds.ts'
import { requeueDeadLetter } from './requeue-dead-letter.ts'
import { requeueDeadLetters } from './requeue-dead-letters.ts'
import { requeueJob } from './requeue-job.ts'
import { changeLimit, deleteLimit, setLimit } from './write-limits.ts'
import { retireKind } from './retire-kind.ts'
import { revokeKey } from './revoke-key.ts'
import { createSchedule } from './create-schedule.ts'
import { deleteSchedule } from './delete-schedule.ts'
import { getSchedule } from './get-schedule.ts'
import { listSchedules } from './list-schedules.ts'
import { pauseSchedule, resumeSchedule } from './pause-and-resume-schedule.ts'
import { previewSchedule, previewTiming } from './preview-schedule.ts'
import { runJobNow } from './run-job-now.ts'
import { runScheduleNow } from './run-schedule-now.ts'
import { syncSchedules } from './sync-schedules.ts'
import { undoCancel } from './undo-cancel.ts'
import { undoRequeue } from './undo-requeue.ts'
import { undoReschedule } from './undo-reschedule.ts'
import { updateSchedule } from './update-schedule.ts'

/** The operations of the API. Paths match in this order, so a literal path comes before one with a parameter in its place. */
export const operations: readonly Operation[] = [
  createJob,
  createJobs,
  shared(listJobs),
  listJobStates,
  cancelJobs,
  requeueJobs,
  rescheduleJobs,
  undoCancel,
  undoRequeue,
  undoReschedule,
  deleteJobs,
  eraseJobs,
  getJob,
  editJob,
  getJobEvents,
  shared(listExecutions),
  shared(listJobLogs),
  shared(getExpectedStart),
  shared(getWhy),
  cancelJob,
  requeueJob,
  runJobNow,
  duplicateJob,
  createJobLink,
  getLinkedJob,
  shared(listErrors),
  shared(listDeadLetters),
  requeueDeadLetters,
  getDeadLetter,
  requeueDeadLetter,
  deleteDeadLetter,
  shared(listOperations),
  shared(getOperation),
  cancelOperation,
  createSchedule,
  shared(listSchedules),
  previewTiming,
  syncSchedules,
  shared(getSchedule),
  updateSchedule,
  deleteSchedule,
  pauseSchedule,
  resumeSchedule,
  runScheduleNow,
  previewSchedule,
  shared(listQueues),
  shared(listQueueKeys),
  pauseQueue,
  resumeQueue,
  purgeQueue,
  shared(getStats),
  shared(getAttention),
  shared(getDiagnosis),
  listLimits,
  setLimit,
  changeLimit,
  deleteLimit,
  shared(listWorkers),
  shared(listKinds),
  registerKinds,
  shared(getKind),
  retireKind,
  getMe,
  listKeys,
  revokeKey,
  shared(listAudit),
  livez,
  readyz,
  health,
  metrics,
  docs,
  docsAsset,
  openApiDocument,
]
