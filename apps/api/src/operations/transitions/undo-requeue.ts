import { limits } from '@queue/core'
import { z } from 'zod'
import { actorOf } from '../../http/actor.ts'
import { databaseProblems, defineOperation } from '../../http/operation.ts'
import { actDone, answerMany, requeuedInput } from '../acts/operation.ts'
import { jobExample } from '../reads/job.ts'

const example = { id: jobExample.id, changed_at: '2026-01-15T09:29:30.500Z' }

export const undoRequeue = defineOperation({
  operationId: 'undoRequeue',
  method: 'post',
  path: '/jobs/undo-requeue',
  tag: 'Jobs',
  permission: 'jobs:control',
  act: 'job.undo_requeue',
  summary: 'Undo a requeue',
  description:
    `Restores up to ${limits.actAtOnceMax} requeued jobs in one transaction. Each has failed or is cancelled again, with ` +
    'the attempts and times that it had, and its dead letter exists again. Jobs that have started or were changed ' +
    `meanwhile, or were requeued more than ${limits.requeueUndoMs / 60_000} minutes ago, are left as they are and ` +
    'counted as skipped. Repeating the request skips all jobs.',
  body: {
    schema: z
      .strictObject({
        jobs: requeuedInput.meta({
          description:
            'The `requeued` of the response to the requeue. For a single job: its `updated_at` after the requeue.',
        }),
      })
      .meta({ id: 'UndoRequeue', description: 'The jobs to restore.' }),
    refusedAs: 'invalid_body',
    description: 'The jobs.',
    examples: { one: { summary: 'One job', value: { jobs: [example] } } },
  },
  successes: [actDone],
  problems: ['refused', ...databaseProblems],
  async handle({ body, context }, { queue }) {
    const requeued = body.jobs.map(({ id, changed_at: changedAt }) => ({ id, changedAt }))
    const { many } = queue.actAs(actorOf(context))
    return answerMany(await many.undoRequeue(requeued))
  },
})
