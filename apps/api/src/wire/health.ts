import { z } from 'zod'

/** The checks of the readiness probe. */
export const checksSchema = z
  .object({
    process: z.enum(['running', 'stopping']).meta({ description: 'Whether the process is shutting down.' }),
    database: z.enum(['up', 'down']).meta({ description: 'Whether the database answers.' }),
    schema: z
      .enum(['compatible', 'missing', 'older', 'newer', 'different', 'unknown'])
      .meta({ description: 'Whether the version of the database schema fits this release.' }),
    writes: z
      .enum(['accepted', 'refused', 'unknown'])
      .meta({ description: 'Whether the database accepts writes.' }),
  })
  .meta({ id: 'Checks', description: 'The checks of the readiness probe.' })

const readyStatus = z.literal('ready').meta({ description: 'Always `ready`.' })

export const readinessSchema = z
  .object({ status: readyStatus, checks: checksSchema })
  .meta({ id: 'Readiness', description: 'The report of a ready server.' })

export const healthSchema = z
  .object({
    status: readyStatus,
    checks: checksSchema,
    uptime_seconds: z.number().min(0).meta({ description: 'Seconds since the process started.' }),
  })
  .meta({ id: 'Health', description: 'The report of a ready server, with its uptime.' })

export const livenessSchema = z
  .object({ status: z.literal('alive').meta({ description: 'Always `alive`.' }) })
  .meta({ id: 'Liveness', description: 'The report of a live process.' })
