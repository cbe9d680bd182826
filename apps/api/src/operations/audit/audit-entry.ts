import { type AuditEntry, type AuditFilter, limits } from '@queue/core'
import { actorTypes, anyJson, auditedActs, instantOutput, jobFields } from '@queue/core/internal'
import { z } from 'zod'
import { encoderOf } from '../../wire/encode-members.ts'
import { instantFilter } from '../../wire/list-query.ts'
import { jobExample } from '../reads/job.ts'

/** The filters of the audit log. */
export const auditFilter = {
  actor: z.string().min(1).max(limits.actorIdLengthMax).optional().meta({
    description:
      'Entries of this actor: the id of an API key, a subject, the name of a database role, `token` or `anyone`.',
  }),
  act: z.enum(auditedActs).optional().meta({ description: 'Entries of this action.' }),
  job_id: z.uuid().optional().meta({ description: 'Entries about this job.' }),
  tenant: jobFields.tenantId
    .optional()
    .meta({ description: 'Entries of actors whose scope was this tenant.' }),
  from: instantFilter('Entries at or after this time.'),
  to: instantFilter('Entries before this time.'),
} as const

const auditFilterSchema = z.object(auditFilter)

/** Decodes the filters to the names of `@queue/core`. */
export function decodeAuditFilter({
  job_id,
  tenant,
  ...rest
}: z.output<typeof auditFilterSchema>): AuditFilter {
  return { ...rest, jobId: job_id, tenantId: tenant }
}

/** An audit log entry as the API shows it. */
export const auditEntrySchema = z
  .object({
    id: z.uuid().meta({ description: 'Id of the entry.' }),
    at: instantOutput.meta({ description: 'Time of the action, by the clock of the database.' }),
    act: z.enum(auditedActs).meta({ description: 'The action.' }),
    actor_type: z.enum(actorTypes).meta({
      description:
        '`key`: an API key. `subject`: the subject of an OpenID Connect token. `token`: the holder of API_TOKEN. ' +
        '`anyone`: a caller of an API without authentication. `role`: a database role, at the command line.',
    }),
    actor: z.string().meta({
      description:
        'Id of the key, the subject or the name of the database role. Otherwise, the same as actor_type.',
    }),
    actor_name: z.string().nullable().meta({ description: 'Name of the key or the subject at that time.' }),
    database_role: z.string().meta({ description: 'Database role that wrote the entry.' }),
    tenant_id: z
      .string()
      .nullable()
      .meta({ description: 'Tenant in the scope of the actor. Null if it had none.' }),
    address: z.string().nullable().meta({
      description: 'Remote address of the connection: the client, or the last proxy before the API.',
    }),
    request_id: z.string().nullable().meta({ description: 'X-Request-Id of the request.' }),
    count: z.int().min(0).meta({
      description: 'Number of jobs, dead letters, queues, keys or other objects that were changed.',
    }),
    target: z
      .string()
      .nullable()
      .meta({ description: 'The queue, dead letter, key or other object that the request named.' }),
    filter: anyJson.meta({ description: 'Filter of a bulk action. Null if the request named its targets.' }),
    job_ids: z.array(z.uuid()).meta({ description: 'Ids of the jobs that were changed.' }),
  })
  .meta({ id: 'AuditEntry', description: 'One action in the audit log.' })

export type WireAuditEntry = z.output<typeof auditEntrySchema>

/** Encodes an entry for the wire. */
export const encodeAuditEntry: (value: AuditEntry) => WireAuditEntry = encoderOf(auditEntrySchema.shape)

/** The example of the documentation. */
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
