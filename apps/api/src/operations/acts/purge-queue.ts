import { jobFields } from '@queue/core/internal'
import { z } from 'zod'
import { actorOf } from '../../http/actor.ts'
import { databaseProblems, defineOperation } from '../../http/operation.ts'
import { Problem } from '../../http/problem.ts'
import { queueNameParameters } from '../flow/queue.ts'
import { actSuccesses, answerDryRun, answerMany, manyOptions } from './operation.ts'

export const purgeQueue = defineOperation({
  operationId: 'purgeQueue',
  method: 'post',
  path: '/queues/{name}/purge',
  tag: 'Queues',
  permission: 'jobs:delete',
  load: 'heavy',
  act: 'queue.purge',
  summary: 'Purge a queue',
  description:
    'Deletes all jobs that wait in the queue now, with their attempts. Running and ended jobs are kept. A purge ' +
    'always becomes an operation that workers run in batches (202). Send `dry_run` first to see how many jobs it ' +
    'deletes.',
  params: queueNameParameters,
  body: {
    schema: z.strictObject(manyOptions).meta({ id: 'PurgeQueue', description: 'How to run the purge.' }),
    refusedAs: 'invalid_body',
    description: 'How to run the purge.',
    examples: { dryRun: { summary: 'Count the waiting jobs', value: { dry_run: true } } },
  },
  successes: actSuccesses,
  problems: ['queue_not_found', 'refused', 'too_many_operations', ...databaseProblems],
  async handle({ params: { name }, body: { dry_run: isDry, rate }, context }, { queue }) {
    if (!jobFields.queue.safeParse(name).success) throw new Problem('queue_not_found')
    if (isDry) return answerDryRun(await queue.operations.dryRun('purge', { queue: name }))
    return answerMany(await queue.actAs(actorOf(context)).many.purge(name, { rate }))
  },
})
