import { permissions } from '@queue/core/access'
import { z } from 'zod'
import { problemTypes } from '../http/problem.ts'
import { checksSchema } from './health.ts'
import { jobStatus } from './job.ts'

/** The body of every error response. */
export const problemSchema = z
  .object({
    type: z.string().meta({ description: 'Identifies the kind of problem: urn:queue:problem:<error>.' }),
    title: z.string().meta({ description: 'The same for every problem of the kind.' }),
    status: z.int().min(400).max(599).meta({ description: 'The HTTP status.' }),
    detail: z.string().meta({ description: 'What is wrong with this request.' }),
    instance: z.string().meta({ description: 'The path that was asked for.' }),
    error: z
      .string()
      .meta({ enum: Object.keys(problemTypes), description: 'The kind of problem, for programs.' }),
    message: z.string().meta({ description: 'The same as detail.' }),
    issues: z
      .array(
        z.object({
          path: z.string().meta({
            description:
              'A JSON pointer into the body, or the name of a query parameter or header after a slash.',
          }),
          message: z.string(),
        }),
      )
      .optional()
      .meta({ description: 'Everything that is wrong with the input, where that is the problem.' }),
    permission: z
      .enum(permissions)
      .optional()
      .meta({ description: 'The permission that the caller lacks, where that is the problem.' }),
    tenants: z
      .array(z.string())
      .optional()
      .meta({ description: 'Those of which the request has to name one, where that is the problem.' }),
    job_status: jobStatus.optional(),
    checks: checksSchema.optional(),
  })
  .meta({ id: 'Problem', description: 'What went wrong (RFC 9457).' })
