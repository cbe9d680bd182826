import type { Backend } from './backends/backend.ts'
import type { ExitCode } from './exit-codes.ts'
import type { OptionTable, ValuesOf } from './options.ts'
import type { Printer } from './output/printer.ts'

/** A positional argument of a command. */
export interface Argument {
  /** Placeholder in the help, such as `ID`. */
  readonly name: string
  /** `many`: one or more. `any`: none or more. Default: exactly one. */
  readonly count?: 'one' | 'many' | 'any'
  /** The accepted values, if there are few: for help and completion. */
  readonly choices?: readonly string[]
}

export interface Example {
  /** The command line, which a test runs. Words in capitals stand for ids. */
  readonly line: string
  readonly description: string
}

/** The input of a command run. */
export interface Context<Values> {
  readonly values: Values
  /** The positional arguments, in the order of `arguments`. */
  readonly args: readonly string[]
  /** Connects to the API or to the database at the first call. The connection is closed after the command. */
  readonly connect: () => Promise<Backend>
  readonly print: Printer
  /** All commands, for the shell completion. */
  readonly commands: readonly Command[]
  /** Reads standard input to its end. */
  readonly readInput: () => Promise<Buffer>
  /** Aborted by Ctrl-C and SIGTERM. */
  readonly signal: AbortSignal
}

/** A command: its name, arguments, options and implementation. Help and completion are generated from it. */
export interface Command {
  /** One word, or two, such as `dead-letters list`. */
  readonly name: string
  readonly summary: string
  /** Anything that the summary does not say. */
  readonly description?: string
  readonly arguments: readonly Argument[]
  readonly options: OptionTable
  readonly examples: readonly Example[]
  run(context: Context<unknown>): Promise<ExitCode | void>
}

/** Declares a command. The values of `run` are typed by its options. */
export function defineCommand<Options extends OptionTable>(
  command: Omit<Command, 'options' | 'run'> & {
    readonly options: Options
    run(context: Context<ValuesOf<Options>>): Promise<ExitCode | void>
  },
): Command {
  // The parser reads each value with the options of the command before it runs.
  return command
}
