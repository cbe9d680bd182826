import type { MigrateOptions, Process } from '@queue/core'
import type { OutputFormat } from '../parse-arguments.ts'

/** What every command works with. */
export interface CommandContext {
  readonly migrate: MigrateOptions
  /** The verifiers of the passwords of roles that may log in. */
  readonly passwordVerifiers: Partial<Record<Process, string>>
  readonly format: OutputFormat
  /** Asks the database, again and again while it cannot be reached, up to MIGRATE_WAIT_MS. */
  readonly ask: <Result>(question: () => Promise<Result>) => Promise<Result>
  /** Writes one result to standard output. */
  readonly print: (text: string) => void
}
