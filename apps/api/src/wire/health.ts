import { z } from 'zod'

/** The checks that readiness depends on. */
export const checksSchema = z
  .object({
    process: z.enum(['running', 'stopping']),
    database: z.enum(['up', 'down']),
    schema: z.enum(['compatible', 'missing', 'older', 'newer', 'unknown']),
    writes: z.enum(['accepted', 'refused', 'unknown']),
  })
  .meta({ id: 'Checks', description: 'The checks that readiness depends on.' })

export const readinessSchema = z
  .object({ status: z.literal('ready'), checks: checksSchema })
  .meta({ id: 'Readiness' })

export const healthSchema = z
  .object({
    status: z.literal('ready'),
    checks: checksSchema,
    uptime_seconds: z.number().min(0).meta({ description: 'Since the process started.' }),
  })
  .meta({ id: 'Health' })

export const livenessSchema = z.object({ status: z.literal('alive') }).meta({ id: 'Liveness' })
