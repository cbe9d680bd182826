import type { ErrorGroup } from '@queue/core'
import { fingerprintSchema, jobFields, type Masker } from '@queue/core/fields'
import { z } from 'zod'
import { fingerprintsQuery } from './list-query.ts'
import { instantOutput } from './values.ts'

/** Failures of one cause, as the API shows them. */
export const errorGroupSchema = z
  .object({
    fingerprint: fingerprintSchema.meta({ description: 'What is the same of failures of one cause.' }),
    tenant_id: jobFields.tenantId.nullable(),
    queue: jobFields.queue,
    kind: jobFields.kind,
    error_class: z.string().meta({ description: 'The class of the error, and its code where it has one.' }),
    count: z.int().min(1).meta({ description: 'Attempts that failed so.' }),
    first_seen_at: instantOutput,
    last_seen_at: instantOutput,
    worker_versions: z.array(z.string()).meta({
      description: 'The versions of the workers that saw it, the latest first, at most 10.',
    }),
    sample_job_id: z.uuid().meta({ description: 'A job that failed so; it may have been pruned.' }),
    sample_error: z.string().meta({
      description:
        'The error of that job, with its stack. Without the permission payload:read, `***` stands for what its kind calls ' +
        'sensitive, and for all of it once the job is gone.',
    }),
  })
  .meta({ id: 'ErrorGroup', description: 'Failures of one cause, in one queue and of one tenant.' })

export type WireErrorGroup = z.output<typeof errorGroupSchema>

/** A group in the names and types of the wire. */
export function encodeErrorGroup(group: ErrorGroup, masker: Pick<Masker, 'text'>): WireErrorGroup {
  return {
    fingerprint: group.fingerprint,
    tenant_id: group.tenantId,
    queue: group.queue,
    kind: group.kind,
    error_class: group.errorClass,
    count: group.count,
    first_seen_at: group.firstSeenAt.toISOString(),
    last_seen_at: group.lastSeenAt.toISOString(),
    worker_versions: [...group.workerVersions],
    sample_job_id: group.sampleJobId,
    sample_error: masker.text(group.sampleError),
  }
}

/** A group as the documentation shows one. */
export const errorGroupExample: WireErrorGroup = {
  fingerprint: '3f0c9a51d2e8b764',
  tenant_id: null,
  queue: 'mail',
  kind: 'send_email',
  error_class: 'Error ECONNREFUSED',
  count: 1,
  first_seen_at: '2026-01-15T09:30:00.431Z',
  last_seen_at: '2026-01-15T09:30:00.431Z',
  worker_versions: ['1.4.0'],
  sample_job_id: '01980d3c-7a1e-7c3a-9f52-3b1f6c0de001',
  sample_error: 'Error: the mail server refused the connection',
}

/** Which groups; all conditions hold at once. */
export const errorFilter = {
  fingerprint: fingerprintsQuery('The cause, or one of these.'),
  kind: jobFields.kind.optional().meta({ description: 'The kind.' }),
  queue: jobFields.queue.optional().meta({ description: 'The queue.' }),
  tenant: jobFields.tenantId.optional().meta({ description: 'The tenant.' }),
} as const
