import { type Command as AnyCommand, commandsWith, type Context as AnyContext } from '@queue/commands'
import type { Backend } from './backends/backend.ts'

/** What the commands of `queue` need beside their input. */
export interface Surroundings {
  /**
   * Connects to the API or to the database at the first call. The connection is closed after the command. If both are configured,
   * a command that does more in the database names it as preferred.
   */
  readonly connect: (preferred?: Backend['type']) => Promise<Backend>
  /** Reads standard input to its end. */
  readonly readInput: () => Promise<Buffer>
  /** Aborted by Ctrl-C and SIGTERM. */
  readonly signal: AbortSignal
}

export type Context<Values> = AnyContext<Values> & Surroundings
export type Command = AnyCommand<Surroundings>

export const defineCommand = commandsWith<Surroundings>()
