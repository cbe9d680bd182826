import type { Door } from './doors/door.ts'
import type { ExitCode } from './exit-codes.ts'
import type { OptionTable, ValuesOf } from './options.ts'
import type { Printer } from './output/printer.ts'

/** A word that follows the name of a command. */
export interface Argument {
  /** What stands for it in the help, such as `ID`. */
  readonly name: string
  /** `many`: one or more. `any`: none or more. */
  readonly count?: 'one' | 'many' | 'any'
  /** The words that it takes, where they are few: for the help and for completion. */
  readonly choices?: readonly string[]
}

export interface Example {
  /** As it is typed; a test runs it. Words in capitals stand for an id. */
  readonly line: string
  readonly says: string
}

/** What a command is run with. */
export interface Context<Values> {
  readonly values: Values
  /** The words after its name, in the order of `arguments`. */
  readonly words: readonly string[]
  /** The way to the queue, opened at the first call and closed with the command. */
  readonly door: () => Promise<Door>
  readonly print: Printer
  /** All commands there are, for what is made of them. */
  readonly commands: readonly Command[]
  /** Standard input to its end. */
  readonly readInput: () => Promise<string>
  /** Aborted by Ctrl-C and SIGTERM. */
  readonly signal: AbortSignal
}

/** One command: what it is called, what it takes, how it is shown, and what it does. Help and completion are made of it. */
export interface Command {
  /** One word, or two: `dead-letters list`. */
  readonly name: string
  readonly summary: string
  /** What the summary leaves out. */
  readonly description?: string
  readonly arguments: readonly Argument[]
  readonly options: OptionTable
  readonly examples: readonly Example[]
  run(context: Context<unknown>): Promise<ExitCode | void>
}

/** Declares a command; `run` is given the values of its own options. */
export function defineCommand<Options extends OptionTable>(
  command: Omit<Command, 'options' | 'run'> & {
    readonly options: Options
    run(context: Context<ValuesOf<Options>>): Promise<ExitCode | void>
  },
): Command {
  // The parser reads each value with the command's own options before it is run.
  return command
}
