import { limits } from '@queue/core'
import type { Permission } from '@queue/core/access'
import type { AuditedAct, JobFilter, ManyActs, ManyOptions, ManyResult } from '@queue/core'
import { z } from 'zod'
import { actorOf } from '../http/actor.ts'
import { databaseProblems, defineOperation, type Operation } from '../http/operation.ts'
import { decodeJobFilter, jobFilterSchema } from '../wire/job-filter.ts'
import { actSuccesses, answerDryRun, answerMany, manyOptions } from '../wire/operation.ts'
import { instantInput } from '../wire/values.ts'

const atOnce =
  `Up to ${limits.actAtOnceMax} jobs are changed at once, all or none. More become an operation, which workers carry out in ` +
  'batches (202).'
const asOperation = 'It is always an operation, which workers carry out in batches (202).'

interface ActOnJobs {
  readonly operationId: string
  readonly act: 'cancel' | 'requeue' | 'delete' | 'erase'
  readonly permission: Permission
  readonly audited: AuditedAct
  readonly summary: string
  readonly description: string
  /** Beside those of all. */
  readonly problems?: readonly 'unique_key_locked'[]
  readonly carryOut: (many: ManyActs, filter: JobFilter, options: ManyOptions) => Promise<ManyResult>
}

function actOnJobs(given: ActOnJobs): Operation {
  return defineOperation({
    operationId: given.operationId,
    method: 'post',
    path: `/jobs/${given.act}`,
    tag: 'Jobs',
    permission: given.permission,
    act: given.audited,
    summary: given.summary,
    description: given.description,
    body: {
      schema: z
        .strictObject({ filter: jobFilterSchema, ...manyOptions })
        .meta({ id: `${given.operationId.charAt(0).toUpperCase()}${given.operationId.slice(1)}` }),
      refusedAs: 'invalid_body',
      description: 'Which jobs.',
      examples: {
        dryRun: { summary: 'How many there are', value: { filter: { queue: 'mail' }, dry_run: true } },
        slowly: { summary: 'Five hundred a second', value: { filter: { kind: 'send_email' }, rate: 500 } },
      },
    },
    successes: actSuccesses,
    problems: ['out_of_scope', ...(given.problems ?? []), 'refused', ...databaseProblems],
    async handle({ body: { filter: given_, dry_run: isDry, rate }, context, raw }, { queue }) {
      const filter = decodeJobFilter(given_, context)
      if (isDry) return answerDryRun(await queue.operations.dryRun(given.act, filter))
      const { many } = queue.actAs(actorOf({ context, raw }))
      return answerMany(await given.carryOut(many, filter, { rate }), context)
    },
  })
}

export const cancelJobs = actOnJobs({
  operationId: 'cancelJobs',
  act: 'cancel',
  permission: 'jobs:control',
  audited: 'job.cancel',
  summary: 'Cancel the jobs of a filter',
  description: `Waiting jobs are cancelled, and the cancel of running ones is requested. ${atOnce}`,
  carryOut: (many, filter, options) => many.cancel(filter, options),
})

export const requeueJobs = actOnJobs({
  operationId: 'requeueJobs',
  act: 'requeue',
  permission: 'jobs:control',
  audited: 'job.requeue',
  summary: 'Requeue the jobs of a filter',
  description: `Jobs that failed for good or were cancelled begin a new life, but for those whose expiry is past or whose unique key another job holds. ${atOnce}`,
  problems: ['unique_key_locked'],
  carryOut: (many, filter, options) => many.requeue(filter, options),
})

export const deleteJobs = actOnJobs({
  operationId: 'deleteJobs',
  act: 'delete',
  permission: 'jobs:delete',
  audited: 'job.delete',
  summary: 'Delete the jobs of a filter',
  description: `Jobs that do not run are removed, with their attempts, logs and dead letters. ${asOperation}`,
  carryOut: (many, filter, options) => many.delete(filter, options),
})

export const eraseJobs = actOnJobs({
  operationId: 'eraseJobs',
  act: 'erase',
  permission: 'jobs:delete',
  audited: 'job.erase',
  summary: 'Erase the jobs of a filter',
  description:
    'Jobs that do not run are removed, with their attempts, logs and dead letters. Entries of the audit log name them no longer, ' +
    `and groups of failures show none of their errors. ${asOperation}`,
  carryOut: (many, filter, options) => many.erase(filter, options),
})

export const rescheduleJobs = defineOperation({
  operationId: 'rescheduleJobs',
  method: 'post',
  path: '/jobs/reschedule',
  tag: 'Jobs',
  permission: 'jobs:control',
  act: 'job.reschedule',
  summary: 'Move the start of the jobs of a filter',
  description: `Waiting jobs get another earliest start; a past instant counts as now. What is done at once can be taken back by what it answers. ${atOnce}`,
  body: {
    schema: z
      .strictObject({
        filter: jobFilterSchema,
        run_at: instantInput.meta({
          type: 'string',
          format: 'date-time',
          description: 'The earliest start of all of them.',
        }),
        ...manyOptions,
      })
      .meta({ id: 'RescheduleJobs' }),
    refusedAs: 'invalid_body',
    description: 'Which jobs, and when they may start.',
    examples: {
      later: {
        summary: 'All of a queue, tomorrow',
        value: { filter: { queue: 'mail' }, run_at: '2026-01-16T09:30:00Z' },
      },
    },
  },
  successes: actSuccesses,
  problems: ['out_of_scope', 'refused', ...databaseProblems],
  async handle({ body, context, raw }, { queue }) {
    const filter = decodeJobFilter(body.filter, context)
    if (body.dry_run) return answerDryRun(await queue.operations.dryRun('reschedule', filter))
    const { many } = queue.actAs(actorOf({ context, raw }))
    return answerMany(await many.reschedule(filter, { runAt: body.run_at, rate: body.rate }), context)
  },
})
