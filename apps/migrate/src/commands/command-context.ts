import type { MigrationEvent } from '@queue/core'
import type { ManagedSchema } from '../managed-schema.ts'
import type { OutputFormat } from '../parse-arguments.ts'

/** What every command gets. */
export interface CommandContext {
  readonly schema: ManagedSchema
  readonly format: OutputFormat
  /** Called with the progress of a long step. */
  readonly onStepProgress: (event: Extract<MigrationEvent, { type: 'waiting' | 'batch' }>) => void
  /** Runs `attempt` on the database, and retries while the database is unavailable, for up to MIGRATE_WAIT_MS. */
  readonly retry: <Result>(attempt: () => Promise<Result>) => Promise<Result>
  /** Writes one result to standard output. */
  readonly print: (text: string) => void
}
