import { limits } from '@queue/core'
import { z } from 'zod'
import { actorOf } from '../../http/actor.ts'
import { databaseProblems, defineOperation } from '../../http/operation.ts'
import { actDone, answerMany, previousStartsInput } from '../acts/operation.ts'
import { jobExample } from '../reads/job.ts'

const example = {
  id: jobExample.id,
  run_at: '2026-01-15T09:30:00.000Z',
  changed_at: '2026-01-15T09:29:30.500Z',
}

export const undoReschedule = defineOperation({
  operationId: 'undoReschedule',
  method: 'post',
  path: '/jobs/undo-reschedule',
  tag: 'Jobs',
  permission: 'jobs:control',
  act: 'job.reschedule',
  summary: 'Undo a reschedule',
  description:
    `Restores the previous start of up to ${limits.actAtOnceMax} jobs in one transaction. A job that was due before ` +
    'is due again. Jobs that no longer wait or that were changed meanwhile are left as they are and counted as ' +
    'skipped. Repeating the request skips all jobs.',
  body: {
    schema: z
      .strictObject({
        jobs: previousStartsInput.meta({ description: 'The `previous` of the response to the reschedule.' }),
      })
      .meta({ id: 'UndoReschedule', description: 'The jobs to restore.' }),
    refusedAs: 'invalid_body',
    description: 'The jobs, with their previous start.',
    examples: { one: { summary: 'One job', value: { jobs: [example] } } },
  },
  successes: [actDone],
  problems: ['refused', ...databaseProblems],
  async handle({ body, context }, { queue }) {
    const previous = body.jobs.map(({ id, run_at: runAt, changed_at: changedAt }) => ({
      id,
      runAt,
      changedAt,
    }))
    const { many } = queue.actAs(actorOf(context))
    return answerMany(await many.undoReschedule(previous))
  },
})
