import { limits } from '@queue/core'
import { z } from 'zod'
import { actorOf } from '../../http/actor.ts'
import { databaseProblems, defineOperation } from '../../http/operation.ts'
import { actDone, answerMany, cancelledInput } from '../acts/operation.ts'
import { jobExample } from '../reads/job.ts'

const example = { id: jobExample.id, status: 'queued', changed_at: '2026-01-15T09:29:30.500Z' }

export const undoCancel = defineOperation({
  operationId: 'undoCancel',
  method: 'post',
  path: '/jobs/undo-cancel',
  tag: 'Jobs',
  permission: 'jobs:control',
  act: 'job.requeue',
  summary: 'Undo a cancel',
  description:
    `Restores up to ${limits.actAtOnceMax} cancelled jobs in one transaction. Each waits again with the start, attempts, ` +
    'expiry and keys that it had. Jobs that were running, that were changed meanwhile or whose unique key another job ' +
    'holds by now are left as they are and counted as skipped. If a unique key is the only reason that no job was ' +
    'restored, the request is refused (409). Repeating the request skips all jobs.',
  body: {
    schema: z
      .strictObject({
        jobs: cancelledInput.meta({
          description:
            'The `cancelled` of the response to the cancel. For a single job: its previous status, and its ' +
            '`updated_at` after the cancel.',
        }),
      })
      .meta({ id: 'UndoCancel', description: 'The jobs to restore.' }),
    refusedAs: 'invalid_body',
    description: 'The jobs, with their previous status.',
    examples: { one: { summary: 'One job', value: { jobs: [example] } } },
  },
  successes: [actDone],
  problems: ['unique_conflict', 'unique_key_locked', 'refused', ...databaseProblems],
  async handle({ body, context }, { queue }) {
    const cancelled = body.jobs.map(({ id, status, changed_at: changedAt }) => ({ id, status, changedAt }))
    const { many } = queue.actAs(actorOf(context))
    return answerMany(await many.undoCancel(cancelled))
  },
})
