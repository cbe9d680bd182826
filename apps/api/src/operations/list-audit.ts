import { limits } from '@queue/core'
import { z } from 'zod'
import { databaseProblems, defineOperation } from '../http/operation.ts'
import {
  auditEntryExample,
  auditEntrySchema,
  auditFilter,
  decodeAuditFilter,
  encodeAuditEntry,
} from '../wire/audit-entry.ts'
import { nextCursor, pageQuery } from '../wire/list-query.ts'

const auditListSchema = z
  .object({ data: z.array(auditEntrySchema), next_cursor: nextCursor })
  .meta({ id: 'AuditList' })

export const listAudit = defineOperation({
  operationId: 'listAudit',
  method: 'get',
  path: '/audit',
  tag: 'Audit',
  permission: 'audit:read',
  summary: 'List who changed what, the latest first',
  description:
    'Each cancel, requeue, pause, resume, deletion of a dead letter and change of a key has one entry, written with what ' +
    'it changed. All filters hold at once. Pages stay right while entries are added. A request reads a bounded number of ' +
    `entries (${limits.listScanRowsMax}); with filters that match few of them a page may be short, even empty, while ` +
    'next_cursor says that there is more.',
  query: z.strictObject({ ...auditFilter, ...pageQuery }),
  successes: [
    {
      status: 200,
      description: 'A page of the audit log.',
      content: {
        mediaType: 'application/json',
        schema: auditListSchema,
        example: { data: [auditEntryExample], next_cursor: null },
      },
    },
  ],
  problems: ['invalid_cursor', ...databaseProblems],
  async handle({ query: { limit, cursor, ...filter }, context }, { queue }) {
    const page = await queue.audit.list({ ...decodeAuditFilter(filter), limit, cursor })
    return {
      status: 200,
      json: {
        data: page.entries.map((entry) => encodeAuditEntry(entry, context)),
        next_cursor: page.nextCursor,
      },
    }
  },
})
