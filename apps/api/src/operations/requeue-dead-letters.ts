import { limits } from '@queue/core'
import { z } from 'zod'
import { actorOf } from '../http/actor.ts'
import { databaseProblems, defineOperation } from '../http/operation.ts'
import { deadLetterFilter, decodeDeadLetterFilter } from '../wire/dead-letter.ts'
import { jobExample } from '../wire/job.ts'

const requeueResultSchema = z
  .object({
    count: z
      .int()
      .min(0)
      .meta({ description: 'How many jobs were requeued; on a dry run, how many would be.' }),
    job_ids: z.array(z.uuid()).meta({ description: 'The jobs that were requeued; empty on a dry run.' }),
    more: z.boolean().meta({ description: 'True when there may be more: send the request again.' }),
    dry_run: z.boolean(),
  })
  .meta({ id: 'RequeueResult' })

export const requeueDeadLetters = defineOperation({
  operationId: 'requeueDeadLetters',
  method: 'post',
  path: '/dead-letters/requeue',
  tag: 'Dead letters',
  permission: 'dead_letters:requeue',
  act: 'dead_letter.requeue',
  summary: 'Requeue many dead letters',
  description:
    'Requeues the dead letters that match the filter, the oldest first; without a filter, all of them. One request ' +
    `requeues at most ${limits.requeueBatchMax}, all or none; \`more\` is true when it reached that number. With ` +
    '`dry_run` they are only counted.',
  body: {
    schema: z
      .strictObject({
        ...deadLetterFilter,
        dry_run: z.boolean().optional().meta({ description: 'Only count.', default: false }),
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
  successes: [
    {
      status: 200,
      description: 'What was requeued, or would be.',
      content: {
        mediaType: 'application/json',
        schema: requeueResultSchema,
        example: { count: 1, job_ids: [jobExample.id], more: false, dry_run: false },
      },
    },
  ],
  problems: ['out_of_scope', 'unique_key_locked', 'refused', ...databaseProblems],
  async handle({ body: { dry_run: dryRun = false, ...filter }, context, raw }, { queue }) {
    const selection = decodeDeadLetterFilter(filter)
    const jobs = dryRun ? [] : await queue.actAs(actorOf({ context, raw })).deadLetters.requeueMany(selection)
    const count = dryRun ? await queue.deadLetters.count(selection) : jobs.length
    const more = count === limits.requeueBatchMax
    return { status: 200, json: { count, job_ids: jobs.map((job) => job.id), more, dry_run: dryRun } }
  },
})
