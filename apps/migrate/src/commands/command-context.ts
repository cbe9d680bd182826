import type { MigrationEvent } from '@queue/core'
import type { ManagedSchema } from '../managed-schema.ts'
import type { OutputFormat } from '../parse-arguments.ts'

/** What the commands that serve every schema work with. */
export interface CommandContext {
  readonly schema: ManagedSchema
  readonly format: OutputFormat
  /** Hears of what a step that takes long is at. */
  readonly onStepGoesOn: (event: Extract<MigrationEvent, { type: 'waiting' | 'batch' }>) => void
  /** Asks the database, again and again while it cannot be reached, up to MIGRATE_WAIT_MS. */
  readonly ask: <Result>(question: () => Promise<Result>) => Promise<Result>
  /** Writes one result to standard output. */
  readonly print: (text: string) => void
}
