import { permissions } from '@queue/core/internal'
import { z } from 'zod'
import { problemTypes } from '../http/problem-types.ts'
import { checksSchema } from './health.ts'
import { jobStatus } from './job-status.ts'

/** The body of every error response. */
export const problemSchema = z
  .object({
    type: z.string().meta({ description: 'URI of the problem type: urn:queue:problem:<error>.' }),
    title: z.string().meta({ description: 'Short summary of the problem type.' }),
    status: z.int().min(400).max(599).meta({ description: 'HTTP status.' }),
    detail: z.string().meta({ description: 'What is wrong with this request, and what to do.' }),
    instance: z.string().meta({ description: 'Path of the request.' }),
    error: z
      .string()
      .meta({ enum: Object.keys(problemTypes), description: 'Code of the problem type, for programs.' }),
    message: z.string().meta({ description: 'The same text as detail.' }),
    issues: z
      .array(
        z.object({
          path: z.string().meta({
            description:
              'JSON pointer into the body, or the name of a query parameter or header after a slash.',
          }),
          message: z.string().meta({ description: 'What is wrong there.' }),
        }),
      )
      .optional()
      .meta({ description: 'The invalid parts of the request. Present if the input is invalid.' }),
    permission: z
      .enum(permissions)
      .optional()
      .meta({ description: 'The missing permission. Present with `forbidden`.' }),
    tenants: z.array(z.string()).optional().meta({
      description: 'Tenants of the caller, of which the request must name one. Present with `out_of_scope`.',
    }),
    job_status: jobStatus.optional(),
    checks: checksSchema.optional(),
  })
  .meta({ id: 'Problem', description: 'An error response (RFC 9457).' })
