import { databaseVariables, durationMs, integer, logVariables } from '@queue/service'
import { z } from 'zod'
import { roleVariables } from './role-variables.ts'

/** The environment of the migration runner. */
export const migrateConfig = z.object({
  ...databaseVariables,
  MIGRATE_WAIT_MS: durationMs({
    description: 'How long to wait for a database that cannot be reached.',
    default: 60_000,
    min: 0,
    max: 3_600_000,
  }),
  ...roleVariables,
  DATABASE_POOL_MAX: integer({
    description:
      'What the other processes have been given, for doctor to compare with what the server allows.',
    default: 10,
    min: 1,
    max: 1_000,
  }),
  ...logVariables,
})

export type MigrateConfig = z.output<typeof migrateConfig>
