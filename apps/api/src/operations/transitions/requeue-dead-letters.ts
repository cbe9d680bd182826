import { limits } from '@queue/core'
import { z } from 'zod'
import { actorOf } from '../../http/actor.ts'
import { databaseProblems, defineOperation } from '../../http/operation.ts'
import { actSuccesses, answerDryRun, answerMany, byFilterOptions } from '../acts/operation.ts'
import { deadLetterMembers, decodeDeadLetterFilter } from '../reads/dead-letter.ts'

export const requeueDeadLetters = defineOperation({
  operationId: 'requeueDeadLetters',
  method: 'post',
  path: '/dead-letters/requeue',
  tag: 'Dead letters',
  permission: 'dead_letters:requeue',
  load: 'heavy',
  act: 'dead_letter.requeue',
  summary: 'Requeue dead letters by filter',
  description:
    `Requeues the dead letters that match the filter, or all of them if all is true. Up to ${limits.actAtOnceMax} ` +
    'are requeued in one transaction. More become an operation that workers run in batches (202).',
  body: {
    schema: z
      .strictObject({
        ...deadLetterMembers,
        ...byFilterOptions,
      })
      .meta({
        id: 'RequeueDeadLetters',
        description: 'The filters of the dead letters to requeue, and how to run the action.',
      }),
    refusedAs: 'invalid_body',
    description: 'The dead letters to requeue.',
    examples: {
      kind: {
        summary: 'One kind, since yesterday',
        value: { kind: 'webhook_delivery', dead_lettered_after: '2026-01-14T00:00:00Z' },
      },
      dryRun: { summary: 'Count the matching dead letters', value: { dry_run: true } },
    },
  },
  successes: actSuccesses,
  problems: [
    'out_of_scope',
    'selects_everything',
    'unique_key_locked',
    'refused',
    'too_many_operations',
    ...databaseProblems,
  ],
  async handle({ body: { dry_run: isDry, all, rate, ...filter }, context }, { queue }) {
    const selection = decodeDeadLetterFilter(filter)
    if (isDry) return answerDryRun(await queue.operations.dryRunOfDeadLetters(selection))
    const { many } = queue.actAs(actorOf(context))
    return answerMany(await many.requeueDeadLetters(selection, { all, rate }))
  },
})
