import type { LogLine } from '@queue/core'
import { logLevels, type Masker } from '@queue/core/fields'
import { z } from 'zod'
import { anyJson, instantOutput } from './values.ts'

const logLevelSchema = z.enum(logLevels)

/** A line that a handler has logged, as the API shows it. */
export const logLineSchema = z
  .object({
    job_id: z.uuid(),
    attempt: z.int().min(1).meta({ description: 'Counts from 1, and anew after a requeue.' }),
    lease_token: z
      .int()
      .min(1)
      .meta({ description: 'Grows with every claim of the job, requeues included.' }),
    line: z.int().min(1).meta({ description: 'Its place among the lines of the attempt, from 1.' }),
    at: instantOutput.meta({ description: 'By the clock of the worker.' }),
    level: logLevelSchema,
    message: z.string(),
    fields: anyJson.meta({
      description:
        'What the handler gave with the message: an object, or null. Without the permission payload:read, `***` stands ' +
        'in it and in the message for what its kind calls sensitive.',
    }),
  })
  .meta({ id: 'LogLine', description: 'A line that the handler of a job has logged.' })

export type WireLogLine = z.output<typeof logLineSchema>

/** A line in the names and types of the wire. */
export function encodeLogLine(line: LogLine, masker: Pick<Masker, 'text' | 'document'>): WireLogLine {
  return {
    job_id: line.jobId,
    attempt: line.attempt,
    lease_token: line.leaseToken,
    line: line.line,
    at: line.at.toISOString(),
    level: line.level,
    message: masker.text(line.message),
    fields: masker.document(line.fields),
  }
}

/** A line as the documentation shows one. */
export const logLineExample: WireLogLine = {
  job_id: '01980d3c-7a1e-7c3a-9f52-3b1f6c0de001',
  attempt: 1,
  lease_token: 1,
  line: 1,
  at: '2026-01-15T09:30:00.120Z',
  level: 'info',
  message: 'connected to the mail server',
  fields: { host: 'smtp.example.com' },
}

/** A level as a parameter of a request. */
export function logLevelQuery(description: string) {
  return logLevelSchema.optional().meta({ description })
}
