import { jobFields } from '@queue/core/fields'
import { z } from 'zod'
import { actorOf } from '../http/actor.ts'
import { databaseProblems, defineOperation } from '../http/operation.ts'
import { Problem } from '../http/problem.ts'
import { actSuccesses, answerDryRun, answerMany, manyOptions } from '../wire/operation.ts'
import { queueNameParameters } from '../wire/queue.ts'

export const purgeQueue = defineOperation({
  operationId: 'purgeQueue',
  method: 'post',
  path: '/queues/{name}/purge',
  tag: 'Queues',
  permission: 'jobs:delete',
  act: 'queue.purge',
  summary: 'Remove what waits in a queue',
  description:
    'Removes the jobs of the queue that wait now, with their attempts. Running and ended jobs stay. It is always an operation, ' +
    'which workers carry out in batches (202): send `dry_run` first.',
  params: queueNameParameters,
  body: {
    schema: z.strictObject(manyOptions).meta({ id: 'PurgeQueue' }),
    refusedAs: 'invalid_body',
    description: 'How.',
    examples: { dryRun: { summary: 'How many wait', value: { dry_run: true } } },
  },
  successes: actSuccesses,
  problems: ['queue_not_found', 'refused', ...databaseProblems],
  async handle({ params: { name }, body: { dry_run: isDry, rate }, context, raw }, { queue }) {
    if (!jobFields.queue.safeParse(name).success) throw new Problem('queue_not_found')
    if (isDry) return answerDryRun(await queue.operations.dryRun('purge', { queue: name }))
    return answerMany(await queue.actAs(actorOf({ context, raw })).many.purge(name, { rate }), context)
  },
})
