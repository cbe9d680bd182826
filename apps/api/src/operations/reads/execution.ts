import type { Execution } from '@queue/core'
import { executionOutcomes, fingerprintSchema, instantOutput } from '@queue/core/internal'
import { z } from 'zod'
import { type JobView, shownWorker } from '../../kinds/job-view.ts'
import { encoderOf } from '../../wire/encode-members.ts'

/** An ended attempt of a job, as the API shows it. */
export const executionSchema = z
  .object({
    job_id: z.uuid().meta({ description: 'Id of the job.' }),
    attempt: z
      .int()
      .min(0)
      .meta({ description: 'Number of the attempt. It starts at 1 again after a requeue.' }),
    lease_token: z.int().min(1).meta({
      description:
        'Lease token of the attempt. It increases with every claim of the job, also after a requeue.',
    }),
    worker_id: z.string().meta({
      description: 'Id of the worker that ran the attempt. `***` for callers that are bound to a tenant.',
    }),
    started_at: instantOutput.meta({ description: 'Time when the attempt started.' }),
    finished_at: instantOutput.meta({ description: 'Time when the attempt ended.' }),
    outcome: z.enum(executionOutcomes).meta({ description: 'How the attempt ended.' }),
    error: z.string().nullable().meta({ description: 'Error of the attempt. Null if there was none.' }),
    error_class: z.string().nullable().meta({
      description: 'Class of the error, and its code if it has one.',
    }),
    fingerprint: fingerprintSchema.nullable().meta({
      description: 'Fingerprint of the failure. GET /errors groups failures by it.',
    }),
  })
  .meta({ id: 'Execution', description: 'An ended attempt of a job.' })

export type WireExecution = z.output<typeof executionSchema>

const encode = encoderOf(executionSchema.shape)

/** Encodes an attempt for the wire. */
export function encodeExecution(execution: Execution, view: JobView): WireExecution {
  return encode({ ...execution, workerId: shownWorker(execution.workerId, view) })
}

/** The example of the documentation. */
export const executionExample: WireExecution = {
  job_id: '01980d3c-7a1e-7c3a-9f52-3b1f6c0de001',
  attempt: 1,
  lease_token: 1,
  worker_id: 'worker-host-4711-9f3a',
  started_at: '2026-01-15T09:30:00.012Z',
  finished_at: '2026-01-15T09:30:00.431Z',
  outcome: 'failed',
  error: 'Error: the mail server refused the connection',
  error_class: 'Error ECONNREFUSED',
  fingerprint: '3f0c9a51d2e8b764',
}
