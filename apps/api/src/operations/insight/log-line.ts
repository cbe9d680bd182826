import type { LogLine } from '@queue/core'
import { anyJson, instantOutput, logLevels } from '@queue/core/internal'
import { z } from 'zod'
import { encoderOf } from '../../wire/encode-members.ts'

const logLevelSchema = z.enum(logLevels)

/** A log line of a handler, as the API shows it. */
export const logLineSchema = z
  .object({
    job_id: z.uuid().meta({ description: 'Id of the job.' }),
    attempt: z
      .int()
      .min(1)
      .meta({ description: 'Number of the attempt. It starts at 1 again after a requeue.' }),
    lease_token: z.int().min(1).meta({
      description:
        'Lease token of the attempt. It increases with every claim of the job, also after a requeue.',
    }),
    line: z.int().min(1).meta({ description: 'Number of the line within the attempt, from 1.' }),
    at: instantOutput.meta({ description: 'Time of the line, by the clock of the worker.' }),
    level: logLevelSchema.meta({ description: 'Level of the line.' }),
    message: z.string().meta({
      description: 'The message. The sensitive values of the payload were hidden when it was stored.',
    }),
    fields: anyJson.meta({
      description:
        'Structured fields of the line: an object or null. The sensitive values of the payload were hidden when it was stored.',
    }),
  })
  .meta({ id: 'LogLine', description: 'A log line of a handler.' })

export type WireLogLine = z.output<typeof logLineSchema>

/** Encodes a log line for the wire. */
export const encodeLogLine: (value: LogLine) => WireLogLine = encoderOf(logLineSchema.shape)

/** The example of the documentation. */
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

/** The query parameter for a log level. */
export function logLevelQuery(description: string) {
  return logLevelSchema.optional().meta({ description })
}
