import { changeWaitingName, enqueueJobsName } from './function-texts.ts'
import type { Mutation } from './mutation.ts'

/** Defects of unique keys that the attack on them must detect, because they show only beside many other acts. */
export const uniqueMutations = {
  expiredJobsHold: {
    name: 'a job that has expired before its start holds its unique key until it is swept',
    edits: [
      {
        within: enqueueJobsName,
        find: "AND NOT (j.status = 'queued' AND coalesce(j.expires_at <= clock_timestamp(), false))",
        replace: '',
      },
    ],
    detectedBy: 'wrong answer',
  },
  requeuesTakeHeldKeys: {
    name: 'a requeue takes the unique key of another live job',
    edits: [
      {
        within: 'AS is_held, s.scope',
        find: 'WHERE s.job_id <> i.job_id',
        replace: 'WHERE false',
      },
    ],
    detectedBy: 'wrong answer',
  },
  dueJobsArePutOff: {
    name: 'a replace or a reschedule delays a job that is due',
    edits: [
      {
        within: changeWaitingName,
        find: 'WHEN old_job.run_at <= at THEN old_job.run_at',
        replace: '',
      },
    ],
    detectedBy: 'wrong answer',
  },
  requeuesLeaveSlots: {
    name: 'a requeue removes the unique key from a job and leaves its slot',
    edits: [
      {
        find: "unique_scope = nullif(j.unique_scope, 'waiting')",
        replace: `unique_scope = nullif(j.unique_scope, 'waiting'),
          unique_key = CASE WHEN j.unique_scope = 'waiting' THEN NULL ELSE j.unique_key END`,
      },
    ],
    detectedBy: 'wrong answer',
  },
} as const satisfies Record<string, Mutation>
