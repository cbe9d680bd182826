import { limits } from '@queue/core'
import { z } from 'zod'
import { actorOf } from '../http/actor.ts'
import { databaseProblems, defineOperation } from '../http/operation.ts'
import { deadLetterMembers, decodeDeadLetterFilter } from '../wire/dead-letter.ts'
import { actSuccesses, answerDryRun, answerMany, manyOptions } from '../wire/operation.ts'

export const requeueDeadLetters = defineOperation({
  operationId: 'requeueDeadLetters',
  method: 'post',
  path: '/dead-letters/requeue',
  tag: 'Dead letters',
  permission: 'dead_letters:requeue',
  act: 'dead_letter.requeue',
  summary: 'Requeue many dead letters',
  description:
    'Requeues the dead letters that match the filter; without a filter, all of them. Up to ' +
    `${limits.actAtOnceMax} are requeued at once, all or none. More become an operation, which workers carry out in batches ` +
    '(202).',
  body: {
    schema: z
      .strictObject({
        ...deadLetterMembers,
        ...manyOptions,
      })
      .meta({ id: 'RequeueDeadLetters' }),
    refusedAs: 'invalid_body',
    description: 'Which dead letters.',
    examples: {
      kind: {
        summary: 'All of one kind since yesterday',
        value: { kind: 'webhook_delivery', dead_lettered_after: '2026-01-14T00:00:00Z' },
      },
      dryRun: { summary: 'How many there are', value: { dry_run: true } },
    },
  },
  successes: actSuccesses,
  problems: ['out_of_scope', 'unique_key_locked', 'refused', ...databaseProblems],
  async handle({ body: { dry_run: isDry, rate, ...filter }, context, raw }, { queue }) {
    const selection = decodeDeadLetterFilter(filter)
    if (isDry) return answerDryRun(await queue.operations.dryRunOfDeadLetters(selection))
    const { many } = queue.actAs(actorOf({ context, raw }))
    return answerMany(await many.requeueDeadLetters(selection, { rate }), context)
  },
})
