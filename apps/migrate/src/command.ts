import { type Command as AnyCommand, commandsWith, type Context as AnyContext } from '@queue/commands'
import type { MigrationEvent } from '@queue/core'
import type { MigrateConfig } from './config.ts'
import type { ManagedSchema } from './managed-schema.ts'

/** What the commands of `queue-migrate` need beside their input. */
export interface Surroundings {
  readonly config: MigrateConfig
  /** The schema that the command works on: the queue's, or an outbox's. */
  readonly schema: ManagedSchema
  /** Called with the progress of a long step. */
  readonly onStepProgress: (event: Extract<MigrationEvent, { type: 'waiting' | 'batch' }>) => void
  /** Runs `attempt` on the database, and retries while the database is unavailable, for up to MIGRATE_WAIT_MS. */
  readonly retry: <Result>(attempt: () => Promise<Result>) => Promise<Result>
  /** The same for the outbox. */
  readonly outbox: () => Surroundings
}

export type Context<Values> = AnyContext<Values> & Surroundings
export type Command = AnyCommand<Surroundings>

export const defineCommand = commandsWith<Surroundings>()
