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
} from './acts/act-on-jobs.ts'
import { deleteDeadLetters, getDeadLetter, listDeadLetters, requeueDeadLetters } from './acts/dead-letters.ts'
import { duplicateJobs, editJob, runJobsNow } from './acts/edit-job.ts'
import { enqueue } from './enqueue/enqueue.ts'
import { listErrors } from './insight/errors.ts'
import { exportDeadLetters, exportJobs } from './reads/export.ts'
import { followJob } from './reads/follow-job.ts'
import { getJob } from './reads/get-job.ts'
import { getKind, listKinds, pushKinds, retireKinds } from './kinds/kinds.ts'
import { createKeys, listKeys, revokeKeys, rotateKeys } from './access/keys.ts'
import { listJobs } from './reads/list-jobs.ts'
import { listWorkers } from './workers/list-workers.ts'
import { deleteLimit, listLimits, setLimit } from './flow/limits.ts'
import { showLogs } from './insight/logs.ts'
import { showAttention } from './insight/attention.ts'
import { showExpectedStart, showStates, showWhy } from './reads/job-states.ts'
import { showStats } from './insight/stats.ts'
import { cancelOperations, followOperations, getOperation, listOperations } from './acts/operations.ts'
import { listQueueKeys, listQueues, pauseQueue, purgeQueue, queueStats, resumeQueue } from './flow/queues.ts'
import {
  deleteSchedules,
  getSchedule,
  listSchedules,
  pauseSchedule,
  previewSchedule,
  resumeSchedule,
  runScheduleNow,
} from './schedules/schedules.ts'
import { waitForJob } from './reads/wait-for-job.ts'
import { createSchedule, syncSchedules, updateSchedule } from './schedules/write-schedules.ts'

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
