import type { Operation } from '../http/operation.ts'
import { shared } from '../http/shared-operation.ts'
import { getMe } from './access/get-me.ts'
import { listKeys } from './access/list-keys.ts'
import { revokeKey } from './access/revoke-key.ts'
import { cancelJobs, deleteJobs, eraseJobs, requeueJobs, rescheduleJobs } from './acts/act-on-jobs.ts'
import { cancelOperation } from './acts/cancel-operation.ts'
import { deleteDeadLetter } from './acts/delete-dead-letter.ts'
import { duplicateJob } from './acts/duplicate-job.ts'
import { editJob } from './acts/edit-job.ts'
import { purgeQueue } from './acts/purge-queue.ts'
import { getOperation, listOperations } from './acts/read-operations.ts'
import { runJobNow } from './acts/run-job-now.ts'
import { listAudit } from './audit/list-audit.ts'
import { createJob } from './enqueue/create-job.ts'
import { createJobs } from './enqueue/create-jobs.ts'
import { listLimits } from './flow/list-limits.ts'
import { listQueueKeys } from './flow/list-queue-keys.ts'
import { listQueues } from './flow/list-queues.ts'
import { pauseQueue, resumeQueue } from './flow/pause-and-resume-queue.ts'
import { changeLimit, deleteLimit, setLimit } from './flow/write-limits.ts'
import { getAttention } from './insight/get-attention.ts'
import { getDiagnosis } from './insight/get-diagnosis.ts'
import { getExpectedStart } from './insight/get-expected-start.ts'
import { getStats } from './insight/get-stats.ts'
import { getWhy } from './insight/get-why.ts'
import { listErrors } from './insight/list-errors.ts'
import { listJobLogs } from './insight/list-job-logs.ts'
import { getKind } from './kinds/get-kind.ts'
import { listKinds } from './kinds/list-kinds.ts'
import { registerKinds } from './kinds/register-kinds.ts'
import { retireKind } from './kinds/retire-kind.ts'
import { docsAsset } from './process/docs-asset.ts'
import { docs } from './process/docs.ts'
import { health } from './process/health.ts'
import { livez } from './process/livez.ts'
import { metrics } from './process/metrics.ts'
import { openApiDocument } from './process/openapi-document.ts'
import { readyz } from './process/readyz.ts'
import { getDeadLetter } from './reads/get-dead-letter.ts'
import { getJobEvents } from './reads/get-job-events.ts'
import { getJob } from './reads/get-job.ts'
import { createJobLink, getLinkedJob } from './reads/job-links.ts'
import { listDeadLetters } from './reads/list-dead-letters.ts'
import { listExecutions } from './reads/list-executions.ts'
import { listJobStates } from './reads/list-job-states.ts'
import { listJobs } from './reads/list-jobs.ts'
import { createSchedule } from './schedules/create-schedule.ts'
import { deleteSchedule } from './schedules/delete-schedule.ts'
import { getSchedule } from './schedules/get-schedule.ts'
import { listSchedules } from './schedules/list-schedules.ts'
import { pauseSchedule, resumeSchedule } from './schedules/pause-and-resume-schedule.ts'
import { previewSchedule, previewTiming } from './schedules/preview-schedule.ts'
import { runScheduleNow } from './schedules/run-schedule-now.ts'
import { syncSchedules } from './schedules/sync-schedules.ts'
import { updateSchedule } from './schedules/update-schedule.ts'
import { cancelJob } from './transitions/cancel-job.ts'
import { requeueDeadLetter } from './transitions/requeue-dead-letter.ts'
import { requeueDeadLetters } from './transitions/requeue-dead-letters.ts'
import { requeueJob } from './transitions/requeue-job.ts'
import { undoCancel } from './transitions/undo-cancel.ts'
import { undoRequeue } from './transitions/undo-requeue.ts'
import { undoReschedule } from './transitions/undo-reschedule.ts'
import { listWorkers } from './workers/list-workers.ts'

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
