import type { MigrationEvent } from '@queue/core'
import type { ManagedSchema } from '../managed-schema.ts'
import type { OutputFormat } from '../parse-arguments.ts'

/** What the commands work with. */
export interface CommandContext {
  readonly schema: ManagedSchema
  readonly format: OutputFormat
  /** Called with the progress of a step that takes long. */
  readonly onStepProgress: (event: Extract<MigrationEvent, { type: 'waiting' | 'batch' }>) => void
  /** Queries the database, and retries while it cannot be reached, up to MIGRATE_WAIT_MS. */
  readonly ask: <Result>(question: () => Promise<Result>) => Promise<Result>
  /** Writes one result to standard output. */
  readonly print: (text: string) => void
}
