import { type AuditEntry, type AuditFilter, limits } from '@queue/core'
import { actorTypes, auditedActs } from '@queue/core/access'
import { jobFields } from '@queue/core/fields'
import { z } from 'zod'
import { jobExample } from './job.ts'
import { instantFilter } from './list-query.ts'
import type { RequestContext } from '../http/request-context.ts'
import { shownFilter } from '../kinds/job-view.ts'
import { anyJson, instantOutput } from './values.ts'

/** Which entries of the audit log. */
export const auditFilter = {
  actor: z.string().min(1).max(limits.actorIdLengthMax).optional().meta({
    description:
      'Entries of this key, by its id, of this subject, or of this role of the database; or token, or anyone.',
  }),
  act: z.enum(auditedActs).optional().meta({ description: 'Entries of this act.' }),
  job_id: z.uuid().optional().meta({ description: 'Entries about this job.' }),
  tenant: jobFields.tenantId
    .optional()
    .meta({ description: 'Entries of actors that were held to this tenant.' }),
  from: instantFilter('Acts at or after this instant.'),
  to: instantFilter('Acts before this instant.'),
} as const

const auditFilterSchema = z.object(auditFilter)

/** The filter as the queue takes it. */
export function decodeAuditFilter({
  job_id,
  tenant,
  ...rest
}: z.output<typeof auditFilterSchema>): AuditFilter {
  return { ...rest, jobId: job_id, tenantId: tenant }
}

/** An entry of the audit log as the API shows it. */
export const auditEntrySchema = z
  .object({
    id: z.uuid(),
    at: instantOutput.meta({ description: 'When, by the clock of the database.' }),
    act: z.enum(auditedActs).meta({ description: 'What was done.' }),
    actor_type: z.enum(actorTypes).meta({
      description:
        'key: an API key. subject: that of a token of the OpenID Connect issuer. token: whoever has API_TOKEN. anyone: a ' +
        'caller of an API that asks for no credentials. role: a role of the database, at the command line.',
    }),
    actor: z
      .string()
      .meta({ description: 'The id of the key, the subject, or the name of the role; otherwise the type.' }),
    actor_name: z.string().nullable().meta({ description: 'What the key or the subject was called.' }),
    database_role: z.string().meta({ description: 'The role of the database that wrote the entry.' }),
    tenant_id: z.string().nullable().meta({ description: 'The tenant that the actor was held to.' }),
    address: z.string().nullable().meta({
      description: 'The other end of the connection: the client, or the proxy that it came through.',
    }),
    request_id: z.string().nullable().meta({ description: 'The X-Request-Id of the request.' }),
    count: z.int().min(0).meta({ description: 'How many jobs, dead letters, queues or keys it changed.' }),
    target: z
      .string()
      .nullable()
      .meta({ description: 'The queue, the dead letter or the key that it named.' }),
    filter: anyJson.meta({ description: 'What chose the jobs, where nobody named them; otherwise null.' }),
    job_ids: z.array(z.uuid()).meta({ description: 'The jobs whose course it changed.' }),
  })
  .meta({ id: 'AuditEntry', description: 'Who changed what, and when.' })

export type WireAuditEntry = z.output<typeof auditEntrySchema>

/** An entry in the names and types of the wire, without what its reader may not see of its filter. */
export function encodeAuditEntry(
  entry: AuditEntry,
  reader: Pick<RequestContext, 'principal'>,
): WireAuditEntry {
  return {
    id: entry.id,
    at: entry.at.toISOString(),
    act: entry.act,
    actor_type: entry.actorType,
    actor: entry.actor,
    actor_name: entry.actorName,
    database_role: entry.databaseRole,
    tenant_id: entry.tenantId,
    address: entry.address,
    request_id: entry.requestId,
    count: entry.count,
    target: entry.target,
    filter: shownFilter(entry.filter, reader),
    job_ids: [...entry.jobIds],
  }
}

/** An entry as the documentation shows one. */
export const auditEntryExample: WireAuditEntry = {
  id: '5f0c2a51-3f0e-4c4d-9a57-0e1a3f6c9b11',
  at: '2026-01-15T09:31:00.000Z',
  act: 'job.cancel',
  actor_type: 'key',
  actor: 'k3x9d0aq',
  actor_name: 'shop',
  database_role: 'queue_api',
  tenant_id: null,
  address: '10.0.4.7',
  request_id: '0b1f1c62-7c0e-4f57-8f0e-6d1f6a0f3a55',
  count: 1,
  target: null,
  filter: null,
  job_ids: [jobExample.id],
}
