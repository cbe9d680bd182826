import { limits } from '@queue/core'
import { z } from 'zod'
import { mapInTurns } from '../../access/loop-turns.ts'
import { databaseProblems, defineOperation } from '../../http/operation.ts'
import { viewOf } from '../../kinds/job-view.ts'
import { nextCursor, pageQuery } from '../../wire/list-query.ts'
import {
  deadLetterExample,
  deadLetterFilter,
  deadLetterSchema,
  decodeDeadLetterFilter,
  encodeDeadLetter,
} from './dead-letter.ts'

const deadLetterListSchema = z
  .object({
    data: z.array(deadLetterSchema).meta({ description: 'The dead letters, newest first.' }),
    next_cursor: nextCursor,
  })
  .meta({ id: 'DeadLetterList', description: 'A page of dead letters.' })

export const listDeadLetters = defineOperation({
  operationId: 'listDeadLetters',
  method: 'get',
  path: '/dead-letters',
  tag: 'Dead letters',
  permission: 'dead_letters:read',
  load: 'heavy',
  summary: 'List dead letters, newest first',
  description:
    'Returns the dead letters that match all filters. Pagination is stable while jobs fail. A request reads at most ' +
    `${limits.listScanRowsMax} dead letters. If few of them match, a page can be short or empty while ` +
    '`next_cursor` is set. A page also ends when its payloads, histories and errors reach ' +
    `${limits.listPageBytesMax} bytes.`,
  query: z.strictObject({ ...deadLetterFilter, ...pageQuery }),
  successes: [
    {
      status: 200,
      description: 'A page of dead letters.',
      content: {
        mediaType: 'application/json',
        schema: deadLetterListSchema,
        example: { data: [deadLetterExample], next_cursor: null },
      },
    },
  ],
  problems: ['invalid_cursor', 'out_of_scope', ...databaseProblems],
  async handle({ query: { limit, cursor, ...filter }, context }, services) {
    const view = await viewOf(context, services)
    const page = await services.queue.deadLetters.list({ ...decodeDeadLetterFilter(filter), limit, cursor })
    const pause = services.turns.pauses(context)
    const data = await mapInTurns(page.deadLetters, pause, (one) => encodeDeadLetter(one, view))
    return { status: 200, json: { data, next_cursor: page.nextCursor } }
  },
})
