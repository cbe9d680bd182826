import { limits } from '@queue/core'
import { z } from 'zod'
import { actorOf } from '../http/actor.ts'
import { databaseProblems, defineOperation } from '../http/operation.ts'
import { jobExample } from '../wire/job.ts'
import { actDone, answerMany, previousStartsInput } from '../wire/operation.ts'

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
  summary: 'Take back a reschedule',
  description:
    'Each job that waits, and was not changed since, may start when it could before; a job that was due takes its place again. ' +
    `The others stay as they are, and are counted as skipped. Up to ${limits.actAtOnceMax} jobs, at once, all in one transaction. ` +
    'Sent again, it finds them changed, and skips them.',
  body: {
    schema: z
      .strictObject({
        jobs: previousStartsInput.meta({ description: 'What the reschedule has answered as `previous`.' }),
      })
      .meta({ id: 'UndoReschedule' }),
    refusedAs: 'invalid_body',
    description: 'Which jobs, and when each could start before.',
    examples: { one: { summary: 'One job', value: { jobs: [example] } } },
  },
  successes: [actDone],
  problems: ['refused', ...databaseProblems],
  async handle({ body, context, raw }, { queue }) {
    const previous = body.jobs.map(({ id, run_at: runAt, changed_at: changedAt }) => ({
      id,
      runAt,
      changedAt,
    }))
    const { many } = queue.actAs(actorOf({ context, raw }))
    return answerMany(await many.undoReschedule(previous), context)
  },
})
