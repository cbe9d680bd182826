import type { DeadLetter, DeadLetterSelection } from '@queue/core'
import { fingerprintSchema, jobFields } from '@queue/core/fields'
import type { DeadLetterColumn } from '@queue/core/schema'
import { z } from 'zod'
import { type JobView, maskerOf } from '../kinds/job-view.ts'
import { encodeExecution, executionExample, executionSchema } from './execution.ts'
import { jobExample, metadataDescription } from './job.ts'
import { fingerprintsFilter, fingerprintsQuery, instantFilter } from './list-query.ts'
import { anyJson, instantOutput } from './values.ts'

/** A dead letter as the API shows it. */
export const deadLetterSchema = z
  .object({
    id: z.uuid().meta({ description: 'The id of the dead letter; not that of its job.' }),
    job_id: z.uuid().meta({ description: 'The job that failed.' }),
    queue: jobFields.queue,
    kind: jobFields.kind,
    kind_version: jobFields.kindVersion.meta({
      description: 'The version of its kind that its payload is of.',
    }),
    tenant_id: jobFields.tenantId.nullable(),
    key: jobFields.key.nullable().meta({ description: 'Masked as the payload is.' }),
    weight: jobFields.weight.meta({ description: 'How many tokens a start of its job costs.' }),
    payload: anyJson.meta({
      description:
        'The input of its handler, as it was sent. Without the permission payload:read, `***` stands for each value ' +
        'that its kind calls sensitive, or for all of it.',
    }),
    metadata: jobFields.metadata.nullable().meta({ description: metadataDescription }),
    priority: jobFields.priority,
    attempts: z.int().min(0).meta({ description: 'Attempts that it was charged.' }),
    max_attempts: jobFields.maxAttempts,
    crashes: z.int().min(0).meta({ description: 'Attempts that ended because their worker was lost.' }),
    last_error: z.string().nullable().meta({ description: 'Why the last attempt failed.' }),
    idempotency_key: jobFields.idempotencyKey.nullable(),
    execution_history: z.array(executionSchema).meta({
      description: 'The ended attempts, oldest first, the one that dead-lettered the job included.',
    }),
    created_at: instantOutput.meta({ description: 'When the job was enqueued.' }),
    dead_lettered_at: instantOutput.meta({ description: 'When the job failed for good.' }),
    fingerprint: fingerprintSchema.nullable().meta({
      description: 'The cause of its last failure; null where its worker was lost.',
    }),
  } satisfies Record<DeadLetterColumn, z.ZodType> & Record<string, z.ZodType>)
  .meta({
    id: 'DeadLetter',
    description: 'A job that has used up its attempts, or failed for good, with everything that shows why.',
  })

export type WireDeadLetter = z.output<typeof deadLetterSchema>

/** A dead letter in the names and types of the wire. */
export function encodeDeadLetter(deadLetter: DeadLetter, view: JobView): WireDeadLetter {
  const masker = maskerOf(deadLetter, view)
  return {
    id: deadLetter.id,
    job_id: deadLetter.jobId,
    queue: deadLetter.queue,
    kind: deadLetter.kind,
    kind_version: deadLetter.kindVersion,
    tenant_id: deadLetter.tenantId,
    key: deadLetter.key && masker.text(deadLetter.key),
    weight: deadLetter.weight,
    payload: masker.payload,
    metadata: deadLetter.metadata,
    priority: deadLetter.priority,
    attempts: deadLetter.attempts,
    max_attempts: deadLetter.maxAttempts,
    crashes: deadLetter.crashes,
    last_error: deadLetter.lastError && masker.text(deadLetter.lastError),
    idempotency_key: deadLetter.idempotencyKey,
    execution_history: deadLetter.executionHistory.map((one) => encodeExecution(one, masker)),
    created_at: deadLetter.createdAt.toISOString(),
    dead_lettered_at: deadLetter.deadLetteredAt.toISOString(),
    fingerprint: deadLetter.fingerprint,
  }
}

/** A dead letter as the documentation shows one. */
export const deadLetterExample: WireDeadLetter = {
  id: '5f0c6b0e-2f0e-4f57-9d2c-6a1f3f1d7c11',
  job_id: jobExample.id,
  queue: jobExample.queue,
  kind: jobExample.kind,
  kind_version: jobExample.kind_version,
  tenant_id: null,
  key: jobExample.key,
  weight: jobExample.weight,
  payload: jobExample.payload,
  metadata: jobExample.metadata,
  priority: jobExample.priority,
  attempts: 1,
  max_attempts: 1,
  crashes: 0,
  last_error: executionExample.error,
  idempotency_key: jobExample.idempotency_key,
  fingerprint: executionExample.fingerprint,
  execution_history: [executionExample],
  created_at: jobExample.created_at,
  dead_lettered_at: executionExample.finished_at,
}

/** The parameters of a dead letter's path. Text that is no id names no dead letter: 404. */
export const deadLetterIdParameters = z.object({
  id: z.string().meta({
    format: 'uuid',
    description: 'The id of the dead letter.',
    example: deadLetterExample.id,
  }),
})

const ofCause = 'The cause of the last failure, or one of these: see GET /errors.'

/** Which dead letters, in a query; all conditions hold at once, and none means all. */
export const deadLetterFilter = {
  kind: jobFields.kind.optional().meta({ description: 'The kind.' }),
  queue: jobFields.queue.optional().meta({ description: 'The queue.' }),
  fingerprint: fingerprintsQuery(ofCause),
  tenant: jobFields.tenantId.optional().meta({ description: 'The tenant.' }),
  dead_lettered_after: instantFilter('Dead letters made at this instant or later.'),
  dead_lettered_before: instantFilter('Dead letters made before this instant.'),
} as const

/** The same as members of a body. */
export const deadLetterMembers = { ...deadLetterFilter, fingerprint: fingerprintsFilter(ofCause) } as const

type Filter = { readonly [Name in keyof typeof deadLetterFilter]?: z.output<(typeof deadLetterFilter)[Name]> }

/** The filter in the names of `@queue/core`. */
export function decodeDeadLetterFilter(filter: Filter): DeadLetterSelection {
  return {
    kind: filter.kind,
    queue: filter.queue,
    fingerprint: filter.fingerprint,
    tenantId: filter.tenant,
    deadLetteredAfter: filter.dead_lettered_after,
    deadLetteredBefore: filter.dead_lettered_before,
  }
}
