import type { DeadLetter, DeadLetterSelection } from '@queue/core'
import { fingerprintSchema, jobFields } from '@queue/core/fields'
import type { DeadLetterColumn } from '@queue/core/schema'
import { z } from 'zod'
import { type JobView, shownPayload } from '../kinds/job-view.ts'
import { encodeExecution, executionExample, executionSchema } from './execution.ts'
import { jobExample, jobSchema, metadataDescription, payloadDescription } from './job.ts'
import { definedMembers, fingerprintsFilter, fingerprintsQuery, instantFilter } from './list-query.ts'
import { anyJson, instantOutput } from './values.ts'

/** A dead letter as the API shows it. */
export const deadLetterSchema = z
  .object({
    id: z.uuid().meta({ description: 'Id of the dead letter. It differs from the id of its job.' }),
    job_id: z.uuid().meta({ description: 'Id of the job that failed.' }),
    queue: jobFields.queue.meta({ description: 'Queue of the job.' }),
    kind: jobFields.kind.meta({ description: 'Kind of the job.' }),
    kind_version: jobFields.kindVersion.meta({ description: 'Kind version of the payload.' }),
    tenant_id: jobFields.tenantId.nullable().meta({ description: 'Tenant of the job. Null if it has none.' }),
    key: jobFields.key
      .nullable()
      .meta({ description: 'Key of the job. Null if it has none. It is never hidden.' }),
    weight: jobFields.weight.meta({
      description: 'Tokens that a start of the job takes from each rate limit.',
    }),
    payload: anyJson.meta({
      description: payloadDescription,
    }),
    metadata: jobFields.metadata.nullable().meta({ description: metadataDescription }),
    priority: jobFields.priority.meta({ description: 'Priority of the job. Lower numbers start first.' }),
    attempts: z.int().min(0).meta({ description: 'Number of attempts of the job.' }),
    max_attempts: jobFields.maxAttempts.meta({ description: 'Maximum number of attempts.' }),
    crashes: z.int().min(0).meta({ description: 'Number of attempts whose worker was lost.' }),
    last_error: z.string().nullable().meta({ description: 'Error of the last attempt.' }),
    idempotency_key: jobFields.idempotencyKey
      .nullable()
      .meta({ description: 'Idempotency key of the job. Null if it has none.' }),
    sensitive: jobSchema.shape.sensitive,
    execution_history: z.array(executionSchema).meta({
      description: 'The ended attempts, oldest first, including the last one.',
    }),
    created_at: instantOutput.meta({ description: 'Time when the job was enqueued.' }),
    dead_lettered_at: instantOutput.meta({ description: 'Time when the job was dead-lettered.' }),
    fingerprint: fingerprintSchema.nullable().meta({
      description: 'Fingerprint of the last failure. Null if the worker was lost.',
    }),
  } satisfies Record<DeadLetterColumn, z.ZodType> & Record<string, z.ZodType>)
  .meta({
    id: 'DeadLetter',
    description: 'The copy of a job that has failed permanently, with the history of its attempts.',
  })

export type WireDeadLetter = z.output<typeof deadLetterSchema>

/** Encodes a dead letter for the wire. */
export function encodeDeadLetter(deadLetter: DeadLetter, view: JobView): WireDeadLetter {
  return {
    id: deadLetter.id,
    job_id: deadLetter.jobId,
    queue: deadLetter.queue,
    kind: deadLetter.kind,
    kind_version: deadLetter.kindVersion,
    tenant_id: deadLetter.tenantId,
    key: deadLetter.key,
    weight: deadLetter.weight,
    payload: shownPayload(deadLetter, view),
    metadata: deadLetter.metadata,
    priority: deadLetter.priority,
    attempts: deadLetter.attempts,
    max_attempts: deadLetter.maxAttempts,
    crashes: deadLetter.crashes,
    last_error: deadLetter.lastError,
    idempotency_key: deadLetter.idempotencyKey,
    sensitive: deadLetter.sensitive && [...deadLetter.sensitive],
    execution_history: deadLetter.executionHistory.map((execution) => encodeExecution(execution, view)),
    created_at: deadLetter.createdAt.toISOString(),
    dead_lettered_at: deadLetter.deadLetteredAt.toISOString(),
    fingerprint: deadLetter.fingerprint,
  }
}

/** The example of the documentation. */
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
  sensitive: jobExample.sensitive,
  fingerprint: executionExample.fingerprint,
  execution_history: [executionExample],
  created_at: jobExample.created_at,
  dead_lettered_at: executionExample.finished_at,
}

/** The path parameter of a dead letter. An invalid id is answered with 404, since no dead letter has it. */
export const deadLetterIdParameters = z.object({
  id: z.string().meta({
    format: 'uuid',
    description: 'Id of the dead letter.',
    example: deadLetterExample.id,
  }),
})

const fingerprintDescription =
  'Dead letters whose last failure has this fingerprint. GET /errors lists the fingerprints.'

/** The filters of a query. A dead letter must match all of them. */
export const deadLetterFilter = {
  kind: jobFields.kind.optional().meta({ description: 'Dead letters of this kind.' }),
  queue: jobFields.queue.optional().meta({ description: 'Dead letters of this queue.' }),
  fingerprint: fingerprintsQuery(fingerprintDescription),
  tenant: jobFields.tenantId.optional().meta({ description: 'Dead letters of this tenant.' }),
  dead_lettered_after: instantFilter('Dead letters created at or after this time.'),
  dead_lettered_before: instantFilter('Dead letters created before this time.'),
} as const

/** The same filters as members of a body. */
export const deadLetterMembers = {
  ...deadLetterFilter,
  fingerprint: fingerprintsFilter(fingerprintDescription),
} as const

type Filter = { readonly [Name in keyof typeof deadLetterFilter]?: z.output<(typeof deadLetterFilter)[Name]> }

/** Decodes the filters to the names of `@queue/core`. */
export function decodeDeadLetterFilter(filter: Filter): DeadLetterSelection {
  return definedMembers({
    kind: filter.kind,
    queue: filter.queue,
    fingerprint: filter.fingerprint,
    tenantId: filter.tenant,
    deadLetteredAfter: filter.dead_lettered_after,
    deadLetteredBefore: filter.dead_lettered_before,
  })
}
