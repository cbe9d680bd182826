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

/** What help and completion show of a command. */
export interface CommandDescription {
  /** One word, or two, such as `dead-letters list`. */
  readonly name: string
  readonly summary: string
  /** Anything that the summary does not say. */
  readonly description?: string
  readonly arguments: readonly Argument[]
  readonly options: OptionTable
  readonly examples: readonly Example[]
}

/** The input of a command run. A program adds what its commands need in addition, such as a connection. */
export interface Context<Values> {
  readonly values: Values
  /** The positional arguments, in the order of `arguments`. */
  readonly args: readonly string[]
  readonly print: Printer
}

/** A command: its name, arguments, options and implementation. Help and completion are generated from it. */
export interface Command<Surroundings = unknown> extends CommandDescription {
  run(context: Context<unknown> & Surroundings): Promise<ExitCode | void>
}

/** A command whose output depends on its arguments alone. It needs neither settings nor a connection. */
export interface StaticCommand extends CommandDescription {
  answer(args: readonly string[]): string
}

/** Declares a command. The values of `run` are typed by its options. */
export type DefineCommand<Surroundings> = <Options extends OptionTable>(
  command: Omit<CommandDescription, 'options'> & {
    readonly options: Options
    run(context: Context<ValuesOf<Options>> & Surroundings): Promise<ExitCode | void>
  },
) => Command<Surroundings>

/** The function with which a program declares its commands. */
export function commandsWith<Surroundings>(): DefineCommand<Surroundings> {
  // The parser reads each value with the options of the command before it runs.
  return (command) => command
}
