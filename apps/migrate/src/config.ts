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
    description: 'How long to wait for a database that cannot be reached.',
  }),
  KIND_CHANGES: z
    .enum(['auto', 'replace', 'refuse'])
    .default('auto')
    .meta({
      description:
        'What becomes of a kind whose schema has changed under one version. replace: the new schema takes the place of the old one. ' +
        'refuse: not while jobs of that version are there. auto is refuse when NODE_ENV is production, else replace.',
    }),
  ...roleVariables,
  OUTBOX_DATABASE_URL: databaseUrl.optional().meta({
    description:
      'The database of the service that publishes, for the commands of outbox; unset: the one of DATABASE_URL.',
  }),
  OUTBOX_SCHEMA: schemaName
    .default(outboxSchemaDefault)
    .meta({ description: 'The PostgreSQL schema that holds the outbox.' }),
  ...outboxRoleVariables,
  DATABASE_POOL_MAX: poolSettingsSchema.shape.poolMax.meta({
    description:
      'The DATABASE_POOL_MAX of the other processes; doctor compares it with the connections that the server allows.',
  }),
  ...logVariables,
})

export type MigrateConfig = z.output<typeof migrateConfig>
