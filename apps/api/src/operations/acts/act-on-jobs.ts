import {
  type AuditedAct,
  type ByFilterOptions,
  type JobFilter,
  type ManyActs,
  type ManyResult,
  limits,
  type Permission,
} from '@queue/core'
import { instantInput } from '@queue/core/internal'
import { z } from 'zod'
import { actorOf } from '../../http/actor.ts'
import { type Operation, databaseProblems, defineOperation } from '../../http/operation.ts'
import { decodeJobFilter, jobFilterSchema } from '../reads/job-filter.ts'
import { actSuccesses, answerDryRun, answerMany, byFilterOptions } from './operation.ts'

const runAtOnceOrAsOperation =
  `Up to ${limits.actAtOnceMax} jobs are changed in one transaction. More become an operation that workers run in ` +
  'batches (202).'
const alwaysAnOperation = 'The action always becomes an operation that workers run in batches (202).'

interface ActOnJobs {
  readonly operationId: string
  readonly act: 'cancel' | 'requeue' | 'delete' | 'erase'
  readonly permission: Permission
  readonly audited: AuditedAct
  readonly summary: string
  readonly description: string
  /** Problems of this action alone. */
  readonly problems?: readonly 'unique_key_locked'[]
  readonly carryOut: (many: ManyActs, filter: JobFilter, options: ByFilterOptions) => Promise<ManyResult>
}

function actOnJobs(action: ActOnJobs): Operation {
  return defineOperation({
    operationId: action.operationId,
    method: 'post',
    path: `/jobs/${action.act}`,
    tag: 'Jobs',
    permission: action.permission,
    load: 'heavy',
    act: action.audited,
    summary: action.summary,
    description: action.description,
    body: {
      schema: z.strictObject({ filter: jobFilterSchema, ...byFilterOptions }).meta({
        id: `${action.operationId.charAt(0).toUpperCase()}${action.operationId.slice(1)}`,
        description: 'A filter of jobs, and how to run the action.',
      }),
      refusedAs: 'invalid_body',
      description: 'The jobs to change.',
      examples: {
        dryRun: { summary: 'Count the matching jobs', value: { filter: { queue: 'mail' }, dry_run: true } },
        slowly: {
          summary: 'At most 500 jobs a second',
          value: { filter: { kind: 'send_email' }, rate: 500 },
        },
      },
    },
    successes: actSuccesses,
    problems: [
      'out_of_scope',
      'selects_everything',
      ...(action.problems ?? []),
      'refused',
      'too_many_operations',
      ...databaseProblems,
    ],
    async handle({ body, context }, { queue }) {
      const filter = decodeJobFilter(body.filter)
      if (body.dry_run) return answerDryRun(await queue.operations.dryRun(action.act, filter))
      const { many } = queue.actAs(actorOf(context))
      return answerMany(await action.carryOut(many, filter, { all: body.all, rate: body.rate }))
    },
  })
}

export const cancelJobs = actOnJobs({
  operationId: 'cancelJobs',
  act: 'cancel',
  permission: 'jobs:control',
  audited: 'job.cancel',
  summary: 'Cancel jobs by filter',
  description:
    'Cancels the waiting jobs that match the filter, and requests the cancellation of running ones. ' +
    runAtOnceOrAsOperation,
  carryOut: (many, filter, options) => many.cancel(filter, options),
})

export const requeueJobs = actOnJobs({
  operationId: 'requeueJobs',
  act: 'requeue',
  permission: 'jobs:control',
  audited: 'job.requeue',
  summary: 'Requeue jobs by filter',
  description:
    'Requeues the failed and cancelled jobs that match the filter. Jobs whose expiry has passed or whose unique key ' +
    `another job holds are skipped. ${runAtOnceOrAsOperation}`,
  problems: ['unique_key_locked'],
  carryOut: (many, filter, options) => many.requeue(filter, options),
})

export const deleteJobs = actOnJobs({
  operationId: 'deleteJobs',
  act: 'delete',
  permission: 'jobs:delete',
  audited: 'job.delete',
  summary: 'Delete jobs by filter',
  description: `Deletes the matching jobs that are not running, with their attempts, logs and dead letters. ${alwaysAnOperation}`,
  carryOut: (many, filter, options) => many.delete(filter, options),
})

export const eraseJobs = actOnJobs({
  operationId: 'eraseJobs',
  act: 'erase',
  permission: 'jobs:delete',
  audited: 'job.erase',
  summary: 'Erase jobs by filter',
  description:
    'Deletes the matching jobs that are not running, with their attempts, logs and dead letters. Also removes their ' +
    `ids from the audit log and their errors from error groups. ${alwaysAnOperation}`,
  carryOut: (many, filter, options) => many.erase(filter, options),
})

export const rescheduleJobs = defineOperation({
  operationId: 'rescheduleJobs',
  method: 'post',
  path: '/jobs/reschedule',
  tag: 'Jobs',
  permission: 'jobs:control',
  load: 'heavy',
  act: 'job.reschedule',
  summary: 'Reschedule jobs by filter',
  description:
    'Changes the earliest start of the matching waiting jobs. A time in the past counts as now. To undo a reschedule ' +
    `that ran at once, send its \`previous\` to POST /jobs/undo-reschedule. ${runAtOnceOrAsOperation}`,
  body: {
    schema: z
      .strictObject({
        filter: jobFilterSchema,
        run_at: instantInput.meta({
          type: 'string',
          format: 'date-time',
          description: 'New earliest start of all matching jobs.',
        }),
        ...byFilterOptions,
      })
      .meta({
        id: 'RescheduleJobs',
        description: 'A filter of jobs, their new start, and how to run the action.',
      }),
    refusedAs: 'invalid_body',
    description: 'The jobs to reschedule, and their new start.',
    examples: {
      later: {
        summary: 'One queue, until tomorrow',
        value: { filter: { queue: 'mail' }, run_at: '2026-01-16T09:30:00Z' },
      },
    },
  },
  successes: actSuccesses,
  problems: ['out_of_scope', 'selects_everything', 'refused', 'too_many_operations', ...databaseProblems],
  async handle({ body, context }, { queue }) {
    const filter = decodeJobFilter(body.filter)
    if (body.dry_run)
      return answerDryRun(await queue.operations.dryRun('reschedule', filter, { runAt: body.run_at }))
    const { many } = queue.actAs(actorOf(context))
    return answerMany(await many.reschedule(filter, { runAt: body.run_at, all: body.all, rate: body.rate }))
  },
})
