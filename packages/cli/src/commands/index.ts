import type { Command } from '../command.ts'
import {
  cancelJobs,
  deleteJobs,
  eraseJobs,
  requeueJobs,
  rescheduleJobs,
  undoCancel,
  undoRequeue,
  undoReschedule,
} from './act-on-jobs.ts'
import { deleteDeadLetters, getDeadLetter, listDeadLetters, requeueDeadLetters } from './dead-letters.ts'
import { duplicateJobs, editJob, runJobsNow } from './edit-job.ts'
import { enqueue } from './enqueue.ts'
import { listErrors } from './errors.ts'
import { exportDeadLetters, exportJobs } from './export.ts'
import { followJob } from './follow-job.ts'
import { getJob } from './get-job.ts'
import { getKind, listKinds, pushKinds, retireKinds } from './kinds.ts'
import { createKeys, listKeys, revokeKeys, rotateKeys } from './keys.ts'
import { listJobs } from './list-jobs.ts'
import { listWorkers } from './list-workers.ts'
import { deleteLimit, listLimits, setLimit } from './limits.ts'
import { showLogs } from './logs.ts'
import { showAttention } from './attention.ts'
import { showExpectedStart, showStates, showWhy } from './job-states.ts'
import { showStats } from './stats.ts'
import { cancelOperations, followOperations, getOperation, listOperations } from './operations.ts'
import { listQueueKeys, listQueues, pauseQueue, purgeQueue, queueStats, resumeQueue } from './queues.ts'
import {
  deleteSchedules,
  getSchedule,
  listSchedules,
  pauseSchedule,
  previewSchedule,
  resumeSchedule,
  runScheduleNow,
} from './schedules.ts'
import { waitForJob } from './wait-for-job.ts'
import { createSchedule, syncSchedules, updateSchedule } from './write-schedules.ts'

/** Every command, in the order of the help. */
export const commands: readonly Command[] = [
  enqueue,
  getJob,
  listJobs,
  followJob,
  showStates,
  showExpectedStart,
  showWhy,
  showLogs,
  waitForJob,
  cancelJobs,
  requeueJobs,
  rescheduleJobs,
  undoCancel,
  undoRequeue,
  undoReschedule,
  runJobsNow,
  editJob,
  duplicateJobs,
  deleteJobs,
  eraseJobs,
  listErrors,
  listDeadLetters,
  getDeadLetter,
  requeueDeadLetters,
  deleteDeadLetters,
  listOperations,
  getOperation,
  followOperations,
  cancelOperations,
  listQueues,
  queueStats,
  listQueueKeys,
  pauseQueue,
  resumeQueue,
  purgeQueue,
  showStats,
  showAttention,
  listLimits,
  setLimit,
  deleteLimit,
  listKinds,
  getKind,
  pushKinds,
  retireKinds,
  listSchedules,
  getSchedule,
  createSchedule,
  updateSchedule,
  deleteSchedules,
  pauseSchedule,
  resumeSchedule,
  runScheduleNow,
  previewSchedule,
  syncSchedules,
  listWorkers,
  listKeys,
  createKeys,
  rotateKeys,
  revokeKeys,
  exportJobs,
  exportDeadLetters,
]
