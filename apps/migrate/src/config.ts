import {
  databaseVariables,
  durationMs,
  integer,
  logVariables,
  optionalDatabaseUrl,
  schemaName,
} from '@queue/service'
import { z } from 'zod'
import { outboxRoleVariables, roleVariables } from './role-variables.ts'

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
  OUTBOX_DATABASE_URL: optionalDatabaseUrl({
    description:
      'The database of the service that publishes, for the commands of outbox; unset: the one of DATABASE_URL.',
  }),
  OUTBOX_SCHEMA: schemaName({
    description: 'The PostgreSQL schema that holds the outbox.',
    default: 'outbox',
  }),
  ...outboxRoleVariables,
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
