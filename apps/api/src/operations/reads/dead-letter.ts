import type { DeadLetter, DeadLetterSelection } from '@queue/core'
import {
  type DeadLetterColumn,
  deadLetterColumns,
  fingerprintSchema,
  instantOutput,
  jobFields,
} from '@queue/core/internal'
import { z } from 'zod'
import { type JobView, shownPayload } from '../../kinds/job-view.ts'
import { encoderOf } from '../../wire/encode-members.ts'
import {
  definedMembers,
  fingerprintsFilter,
  fingerprintsQuery,
  instantFilter,
} from '../../wire/list-query.ts'
import { encodeExecution, executionExample, executionSchema } from './execution.ts'
import { jobExample, jobSchema } from './job.ts'

/** These members of a job, which its dead letter has too. */
function copied<Members extends object>(members: Members): Pick<Members, DeadLetterColumn & keyof Members> {
  const names = deadLetterColumns as readonly (DeadLetterColumn & keyof Members)[]
  return Object.fromEntries(names.map((name) => [name, members[name]])) as never
}

const { created_at: createdAt, ...copiedMembers } = copied(jobSchema.shape)

/** A dead letter as the API shows it. */
export const deadLetterSchema = z
  .object({
    id: z.uuid().meta({ description: 'Id of the dead letter. It differs from the id of its job.' }),
    job_id: z.uuid().meta({ description: 'Id of the job that failed.' }),
    ...copiedMembers,
    key: jobFields.key
      .nullable()
      .meta({ description: 'Key of the job. Null if it has none. It is never hidden.' }),
    attempts: z.int().min(0).meta({ description: 'Number of attempts of the job.' }),
    last_error: z.string().nullable().meta({ description: 'Error of the last attempt.' }),
    execution_history: z.array(executionSchema).meta({
      description: 'The ended attempts, oldest first, including the last one.',
    }),
    created_at: createdAt,
    dead_lettered_at: instantOutput.meta({ description: 'Time when the job was dead-lettered.' }),
    fingerprint: fingerprintSchema.nullable().meta({
      description: 'Fingerprint of the last failure. Null if the worker was lost.',
    }),
  })
  .meta({
    id: 'DeadLetter',
    description: 'The copy of a job that has failed permanently, with the history of its attempts.',
  })

export type WireDeadLetter = z.output<typeof deadLetterSchema>

const encode = encoderOf(deadLetterSchema.shape)

/** Encodes a dead letter for the wire. */
export function encodeDeadLetter(deadLetter: DeadLetter, view: JobView): WireDeadLetter {
  const executionHistory = deadLetter.executionHistory.map((execution) => encodeExecution(execution, view))
  return encode({ ...deadLetter, payload: shownPayload(deadLetter, view), executionHistory })
}

/** The example of the documentation. */
export const deadLetterExample: WireDeadLetter = {
  id: '5f0c6b0e-2f0e-4f57-9d2c-6a1f3f1d7c11',
  job_id: jobExample.id,
  ...copied(jobExample),
  attempts: 1,
  max_attempts: 1,
  last_error: executionExample.error,
  fingerprint: executionExample.fingerprint,
  execution_history: [executionExample],
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
