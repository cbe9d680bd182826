import { limits } from '@queue/core'
import { z } from 'zod'
import { databaseProblems, defineOperation } from '../../http/operation.ts'
import { nextCursor, pageQuery } from '../../wire/list-query.ts'
import {
  auditEntryExample,
  auditEntrySchema,
  auditFilter,
  decodeAuditFilter,
  encodeAuditEntry,
} from './audit-entry.ts'

const auditListSchema = z
  .object({
    data: z.array(auditEntrySchema).meta({ description: 'The entries, newest first.' }),
    next_cursor: nextCursor,
  })
  .meta({ id: 'AuditList', description: 'A page of audit log entries.' })

export const listAudit = defineOperation({
  operationId: 'listAudit',
  method: 'get',
  path: '/audit',
  tag: 'Audit',
  permission: 'audit:read',
  load: 'heavy',
  summary: 'List audit log entries, newest first',
  description:
    'Returns the entries that match all filters. Each change of a job, queue, schedule, limit, kind, dead letter or ' +
    'API key by a caller has one entry, which is written in the transaction of the change. Plain enqueues have no ' +
    `entry. Pagination is stable while entries are added. A request reads at most ${limits.listScanRowsMax} entries. ` +
    'If few of them match, a page can be short or empty while `next_cursor` is set.',
  query: z.strictObject({ ...auditFilter, ...pageQuery }),
  successes: [
    {
      status: 200,
      description: 'A page of audit log entries.',
      content: {
        mediaType: 'application/json',
        schema: auditListSchema,
        example: { data: [auditEntryExample], next_cursor: null },
      },
    },
  ],
  problems: ['invalid_cursor', ...databaseProblems],
  async handle({ query: { limit, cursor, ...filter } }, { queue }) {
    const page = await queue.audit.list({ ...decodeAuditFilter(filter), limit, cursor })
    return {
      status: 200,
      json: {
        data: page.entries.map((entry) => encodeAuditEntry(entry)),
        next_cursor: page.nextCursor,
      },
    }
  },
})
