import type { Command, StaticCommand } from './command.ts'
import { completionOf } from './completion.ts'
import { flag, type OptionTable } from './options.ts'

/** A program as data: parser, help and completion are derived from it. */
export interface Program<Surroundings = unknown, Globals extends OptionTable = OptionTable> {
  readonly name: string
  /** What the program is for, in one line. */
  readonly summary: string
  /** Every command, in the order of the help. */
  readonly commands: readonly (Command<Surroundings> | StaticCommand)[]
  /** The options of every command. */
  readonly globalOptions: Globals & typeof commonOptions
  /** The command that runs if none is named. Default: the help is shown. */
  readonly defaultCommand?: string | undefined
  /** The first words of commands that another program has, each with the name of that program. */
  readonly elsewhere?: Readonly<Record<string, string>> | undefined
  /** The end of the program's help. */
  readonly appendix?: (() => string) | undefined
}

/** The options that every command of every program has. */
const commonOptions = {
  json: flag('print JSON'),
  help: flag('show the arguments, options and examples of the command'),
} as const

export interface ProgramOptions<Surroundings, Globals extends OptionTable>
  extends Omit<Program<Surroundings, Globals>, 'commands' | 'globalOptions'> {
  readonly commands: readonly Command<Surroundings>[]
  readonly globalOptions: Globals
}

/** Adds to the program what all programs have: `--json`, `--help` and the command `completion`. */
export function createProgram<Surroundings, Globals extends OptionTable>(
  options: ProgramOptions<Surroundings, Globals>,
): Program<Surroundings, Globals> {
  const commands: (Command<Surroundings> | StaticCommand)[] = [...options.commands]
  const program = { ...options, commands, globalOptions: { ...options.globalOptions, ...commonOptions } }
  commands.push(completionOf(program))
  return program
}
