import { limits } from '@queue/core'
import { z } from 'zod'
import { databaseProblems, defineOperation } from '../../http/operation.ts'
import { nextCursor, pageQuery } from '../../wire/list-query.ts'
import {
  encodeErrorGroup,
  encodeErrorRange,
  errorFilter,
  errorGroupExample,
  errorGroupSchema,
  errorRangeExample,
  errorRangeSchema,
  errorTime,
} from './error-group.ts'

const errorListSchema = z
  .object({
    data: z.array(errorGroupSchema).meta({ description: 'The error groups.' }),
    range: errorRangeSchema.nullable().meta({
      description: 'The time range of `in_range`. Null if neither `from` nor `to` was sent.',
    }),
    next_cursor: nextCursor,
  })
  .meta({ id: 'ErrorList', description: 'A page of error groups.' })

export const listErrors = defineOperation({
  operationId: 'listErrors',
  method: 'get',
  path: '/errors',
  tag: 'Jobs',
  permission: 'jobs:read',
  load: 'heavy',
  summary: 'List error groups',
  description:
    'Groups failed attempts by their cause, queue and tenant; the group that was seen last comes first. The cause is ' +
    'the kind, the class of the error, its message without numbers, ids and quoted values, and the place where it ' +
    'was thrown. Attempts whose worker was lost belong to no group. With `from` or `to`, only groups with ' +
    'failures in that time range are returned, each with its number of failures, their share of the attempts of the ' +
    'kind, and the trend. Failures are counted by the hour (UTC) in the transaction that records them; hours are ' +
    `kept for 30 days. The last ${limits.errorGroupsMax} groups are kept for as long as failed jobs. A group that ` +
    'fails again during pagination can move to another page. Bulk actions take a fingerprint as a filter.',
  query: z.strictObject({ ...errorFilter, ...errorTime, ...pageQuery }),
  successes: [
    {
      status: 200,
      description: 'A page of error groups.',
      content: {
        mediaType: 'application/json',
        schema: errorListSchema,
        example: { data: [errorGroupExample], range: errorRangeExample, next_cursor: null },
      },
    },
  ],
  problems: ['invalid_cursor', 'out_of_scope', ...databaseProblems],
  async handle({ query: { tenant: tenantId, ...filter } }, { queue }) {
    const page = await queue.errors({ ...filter, tenantId })
    const data = page.groups.map(encodeErrorGroup)
    return {
      status: 200,
      json: { data, range: page.range && encodeErrorRange(page.range), next_cursor: page.nextCursor },
    }
  },
})
