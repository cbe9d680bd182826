import { poolSettingsSchema } from '@queue/postgres'
import { outboxSchemaDefault } from '@queue/outbox'
import { databaseUrl, databaseVariables, logVariables, schemaName } from '@queue/service'
import { z } from 'zod'
import { outboxRoleVariables, roleVariables } from './role-variables.ts'

/** The environment of the migration runner. */
export const migrateConfig = z.object({
  ...databaseVariables,
  MIGRATE_WAIT_MS: z.int().min(0).max(3_600_000).default(60_000).meta({
    unit: 'ms',
    description: 'How long to wait while the database is unavailable.',
  }),
  ...roleVariables,
  OUTBOX_DATABASE_URL: databaseUrl.optional().meta({
    description:
      'The database of the service that publishes messages, for the outbox commands; unset: the one of DATABASE_URL.',
  }),
  OUTBOX_SCHEMA: schemaName
    .default(outboxSchemaDefault)
    .meta({ description: 'The PostgreSQL schema that holds the outbox.' }),
  ...outboxRoleVariables,
  DATABASE_POOL_MAX: poolSettingsSchema.shape.poolMax.meta({
    description:
      'The DATABASE_POOL_MAX of the other processes. doctor uses it to check whether the server allows enough connections.',
  }),
  ...logVariables,
})

export type MigrateConfig = z.output<typeof migrateConfig>
