import { readable } from '@queue/loop/arguments'
import { z } from 'zod'
import { QueueError } from '../errors.ts'

const acquireTimeoutMsMax = 600_000
const idleTimeoutMsMax = 86_400_000

export const poolFields = {
  /** The maximum number of connections; default 10. */
  poolMax: z
    .int()
    .min(1)
    .max(1_000)
    .default(10)
    .meta({ variable: 'DATABASE_POOL_MAX', description: 'The maximum number of connections in the pool.' }),
  /** How long to wait for a connection, in milliseconds; default 5 000. */
  acquireTimeoutMs: z.int().min(1).max(acquireTimeoutMsMax).default(5_000).meta({
    variable: 'DATABASE_ACQUIRE_TIMEOUT_MS',
    unit: 'ms',
    description: 'How long to wait for a free connection before giving up.',
  }),
  /** How long an unused connection stays open, in milliseconds; 0 means forever. Default 300 000. */
  idleTimeoutMs: z.int().min(0).max(idleTimeoutMsMax).default(300_000).meta({
    variable: 'DATABASE_IDLE_TIMEOUT_MS',
    unit: 'ms',
    description: 'How long an unused connection stays open; 0 means forever.',
  }),
}

/** The size and the timeouts of a connection pool. */
export const poolSettingsSchema = z.object(poolFields)

/** Checks the settings. Throws `QueueError` (`invalid_options`) with the name and the problem of each invalid setting. */
export function parsePoolSettings(options: unknown): z.output<typeof poolSettingsSchema> {
  const parsed = readable('connection', () => ({ ...poolSettingsSchema.safeParse(options) }))
  if (parsed.success) return parsed.data
  const issues = parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`)
  throw new QueueError('invalid_options', `the pool's options are invalid: ${issues.join('; ')}`)
}
