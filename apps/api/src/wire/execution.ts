import type { Execution } from '@queue/core'
import { executionOutcomes, fingerprintSchema, type Masker } from '@queue/core/fields'
import { z } from 'zod'
import { instantOutput } from './values.ts'

/** One ended attempt of a job, as the API shows it. */
export const executionSchema = z
  .object({
    job_id: z.uuid(),
    attempt: z.int().min(0).meta({ description: 'Counts from 1, and anew after a requeue.' }),
    lease_token: z
      .int()
      .min(1)
      .meta({ description: 'Grows with every claim of the job, requeues included.' }),
    worker_id: z.string().meta({ description: 'The worker that ran it.' }),
    started_at: instantOutput,
    finished_at: instantOutput,
    outcome: z.enum(executionOutcomes),
    error: z.string().nullable().meta({ description: 'Why it failed.' }),
    error_class: z.string().nullable().meta({
      description: 'The class of the error that it failed with, and its code where it has one.',
    }),
    fingerprint: fingerprintSchema.nullable().meta({
      description: 'The same for failures of one cause: see GET /errors.',
    }),
  })
  .meta({ id: 'Execution', description: 'One ended attempt of a job.' })

export type WireExecution = z.output<typeof executionSchema>

/** An attempt in the names and types of the wire. */
export function encodeExecution(execution: Execution, masker: Pick<Masker, 'text'>): WireExecution {
  return {
    job_id: execution.jobId,
    attempt: execution.attempt,
    lease_token: execution.leaseToken,
    worker_id: execution.workerId,
    started_at: execution.startedAt.toISOString(),
    finished_at: execution.finishedAt.toISOString(),
    outcome: execution.outcome,
    error: execution.error && masker.text(execution.error),
    error_class: execution.errorClass,
    fingerprint: execution.fingerprint,
  }
}

/** An attempt as the documentation shows one. */
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
