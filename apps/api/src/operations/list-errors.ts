import { limits } from '@queue/core'
import { z } from 'zod'
import { databaseProblems, defineOperation } from '../http/operation.ts'
import { jobMasker } from '../kinds/job-view.ts'
import {
  encodeErrorGroup,
  encodeErrorRange,
  errorFilter,
  errorGroupExample,
  errorGroupSchema,
  errorRangeExample,
  errorRangeSchema,
  errorTime,
} from '../wire/error-group.ts'
import { nextCursor, pageQuery } from '../wire/list-query.ts'

const errorListSchema = z
  .object({
    data: z.array(errorGroupSchema),
    range: errorRangeSchema.nullable().meta({
      description: 'The time of which failures were counted; null where none was asked for.',
    }),
    next_cursor: nextCursor,
  })
  .meta({ id: 'ErrorList' })

export const listErrors = defineOperation({
  operationId: 'listErrors',
  method: 'get',
  path: '/errors',
  tag: 'Jobs',
  permission: 'jobs:read',
  summary: 'List the failures of attempts by their causes',
  description:
    'Groups of failures of one cause, in one queue and of one tenant, those that were seen last first. A cause is the kind, ' +
    'the class and message of the error without numbers, ids and quoted values, and where it was thrown. Attempts whose ' +
    'worker was lost are in none. With `from` or `to`: the groups with failures in that time, each with their number, its share of ' +
    'the attempts of its kind, and its trend. Failures are counted with the statement that records them, by the hour in UTC, and ' +
    'hours are kept for 30 days. A group that is seen again meanwhile may move to another page. Kept: the ' +
    `${limits.errorGroupsMax} that were seen last, for as long as jobs that failed. Acts by filter take a ` +
    'fingerprint.',
  query: z.strictObject({ ...errorFilter, ...errorTime, ...pageQuery }),
  successes: [
    {
      status: 200,
      description: 'A page of groups.',
      content: {
        mediaType: 'application/json',
        schema: errorListSchema,
        example: { data: [errorGroupExample], range: errorRangeExample, next_cursor: null },
      },
    },
  ],
  problems: ['invalid_cursor', 'out_of_scope', ...databaseProblems],
  async handle({ query: { tenant: tenantId, ...filter }, context }, services) {
    const page = await services.queue.errors({ ...filter, tenantId })
    const data = await Promise.all(
      page.groups.map(async (group) =>
        encodeErrorGroup(group, await jobMasker(group.sampleJobId, { context, services })),
      ),
    )
    return {
      status: 200,
      json: { data, range: page.range && encodeErrorRange(page.range), next_cursor: page.nextCursor },
    }
  },
})
