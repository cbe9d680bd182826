import { parseArgs } from 'node:util'
import { nearestOf } from '@queue/loop/arguments'
import type { Command, CommandDescription, StaticCommand } from './command.ts'
import { type ExitCode, exitCodes } from './exit-codes.ts'
import { Failure, usageFailure } from './failure.ts'
import { commandHelp, programHelp } from './help.ts'
import type { OptionTable, ValuesOf } from './options.ts'
import { failureText } from './output/failure-text.ts'
import type { Program } from './program.ts'

/** A command with its input. */
export interface Invocation<Surroundings, Globals extends OptionTable> {
  readonly kind: 'run'
  readonly command: Command<Surroundings>
  readonly values: Readonly<Record<string, unknown>>
  readonly global: ValuesOf<Program<Surroundings, Globals>['globalOptions']>
  readonly args: readonly string[]
}

/** The answer to a command line that runs nothing: standard output if the exit code is 0, otherwise standard error. */
export interface Answer {
  readonly kind: 'answer'
  readonly exitCode: Extract<ExitCode, 0 | 2>
  readonly text: string
}

/** Reads a command line with `parseArgs` of Node. Never throws: an invalid one is answered with what is wrong with it. */
export function readCommandLine<Surroundings, Globals extends OptionTable>(
  program: Program<Surroundings, Globals>,
  { argv, version }: { readonly argv: readonly string[]; readonly version: string },
): Invocation<Surroundings, Globals> | Answer {
  if (argv.includes('--version')) return answer(`${version}\n`)
  try {
    return parse(program, argv)
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    // The failure may be that the options cannot be parsed.
    const text = failureText(error, { program: program.name, isJson: argv.includes('--json') })
    return { kind: 'answer', exitCode: exitCodes.usage, text }
  }
}

const answer = (text: string): Answer => ({ kind: 'answer', exitCode: exitCodes.ok, text })

type AnyCommand<Surroundings> = Command<Surroundings> | StaticCommand

function parse<Surroundings, Globals extends OptionTable>(
  program: Program<Surroundings, Globals>,
  argv: readonly string[],
): Invocation<Surroundings, Globals> | Answer {
  const { positionals, isHelp } = findPositionals(program, argv)
  const asksForHelp = isHelp || positionals[0] === 'help'
  const named = positionals[0] === 'help' ? positionals.slice(1) : positionals
  const { defaultCommand } = program
  const words = named.length > 0 || asksForHelp || defaultCommand === undefined ? named : [defaultCommand]
  const command = findCommand(program, words)
  if (asksForHelp || words.length === 0) return answer(helpOf(program, command ?? words[0]))
  if (command === undefined) throw unknownCommand(program, words)
  const options: OptionTable = { ...program.globalOptions, ...command.options }
  const parsed = parseStrictly(argv, { options, usage: `${program.name} ${command.name}` })
  const values = readValues(parsed.values, options)
  const args = parsed.positionals.slice(command.name.split(' ').length)
  checkArguments(args, command, program.name)
  if ('answer' in command) return answer(command.answer(args))
  const isGlobal = (name: string): boolean => name in program.globalOptions
  return {
    kind: 'run',
    command,
    args,
    global: pick(values, isGlobal) as Invocation<Surroundings, Globals>['global'],
    values: pick(values, (name) => !isGlobal(name)),
  }
}

function pick(
  values: Readonly<Record<string, unknown>>,
  isWanted: (name: string) => boolean,
): Record<string, unknown> {
  return Object.fromEntries(Object.entries(values).filter(([name]) => isWanted(name)))
}

/** The words that are not options, before the command is known. An option has the same form in every command. */
function findPositionals(
  { commands, globalOptions }: Program,
  argv: readonly string[],
): { positionals: string[]; isHelp: boolean } {
  const all = Object.assign({}, globalOptions, ...commands.map(({ options }) => options)) as OptionTable
  const { positionals, values } = parseArgs({
    args: [...argv],
    options: configOf(all),
    strict: false,
    allowPositionals: true,
  })
  return { positionals, isHelp: values['help'] === true }
}

type ParseConfig = Record<string, { type: 'string' | 'boolean'; short?: string; multiple?: boolean }>

function configOf(options: OptionTable): ParseConfig {
  return Object.fromEntries(
    Object.entries(options).map(([name, { value }]) => [
      name,
      {
        ...(value === undefined ? { type: 'boolean' } : { type: 'string', multiple: true }),
        ...(name === 'help' ? { short: 'h' } : {}),
      },
    ]),
  )
}

/** The command whose name matches the first words. */
function findCommand<Surroundings>(
  { commands }: Program<Surroundings>,
  words: readonly string[],
): AnyCommand<Surroundings> | undefined {
  return commands.find(({ name }) => name.split(' ').every((part, index) => part === words[index]))
}

function helpOf(program: Program, about: CommandDescription | string | undefined): string {
  if (typeof about === 'object') return commandHelp(program, about)
  const listed = program.commands.filter(({ name }) => about === undefined || name.startsWith(`${about} `))
  if (about !== undefined && listed.length === 0) throw unknownCommand(program, [about])
  return programHelp(program, listed)
}

function unknownCommand(
  { name: program, commands, elsewhere = {} }: Program,
  words: readonly string[],
): Failure {
  const [first = ''] = words
  const other = elsewhere[first]
  if (other !== undefined) {
    return usageFailure(
      `${JSON.stringify(first)} is a command of another program: run ${other} ${words.slice(0, 2).join(' ')}`,
    )
  }
  const group = commands.map(({ name }) => name).filter((name) => name.startsWith(`${first} `))
  if (group.length > 0) {
    return usageFailure(
      `${JSON.stringify(words.join(' '))} is not a command`,
      `${meant(words.slice(0, 2).join(' '), group)}use one of: ${group.join(', ')}`,
    )
  }
  const names = commands.flatMap(({ name }) => [name, ...name.split(' ').slice(0, 1)])
  return usageFailure(
    `${JSON.stringify(first)} is not a command`,
    `${meant(first, names)}${program} --help lists the commands`,
  )
}

/** Asks whether a name was meant that is nearly the same. */
function meant(given: string, names: readonly string[]): string {
  const nearest = nearestOf(given, names)
  return nearest === undefined ? '' : `did you mean ${nearest}? `
}

interface Parsed {
  readonly positionals: string[]
  readonly values: Readonly<Record<string, unknown>>
}

function parseStrictly(
  argv: readonly string[],
  { options, usage }: { readonly options: OptionTable; readonly usage: string },
): Parsed {
  try {
    return parseArgs({ args: [...argv], options: configOf(options), allowPositionals: true })
  } catch (error) {
    // The first sentence of Node's message names the option; the rest is general.
    const [message = ''] = (error as Error).message.split(/\.\s/)
    const [, given = ''] = /^Unknown option '--([\w-]+)'/.exec(message) ?? []
    const names = Object.keys(options).map((name) => `--${name}`)
    const hint = given === '' ? '' : meant(`--${given}`, names)
    throw usageFailure(message, `${hint}${usage} --help shows the options`)
  }
}

function readValues(
  inputs: Readonly<Record<string, unknown>>,
  options: OptionTable,
): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(inputs).map(([name, input]) => {
      const option = options[name]
      if (option?.value === undefined) return [name, input]
      const texts = input as readonly string[]
      if (texts.length > 1 && !option.isList) throw usageFailure(`--${name} is given more than once`)
      const text = texts.join(',')
      try {
        return [name, option.read(text)]
      } catch (error) {
        throw error instanceof Failure
          ? usageFailure(`--${name} ${JSON.stringify(text)} ${error.message}`)
          : error
      }
    }),
  )
}

function checkArguments(args: readonly string[], command: CommandDescription, program: string): void {
  const required = command.arguments.filter(({ count }) => count !== 'any')
  const missing = required[args.length]
  const advice = `${program} ${command.name} --help shows the arguments`
  if (missing !== undefined) throw usageFailure(`the argument ${missing.name} is missing`, advice)
  const isOpen = command.arguments.some(({ count }) => count === 'many' || count === 'any')
  const extra = args[command.arguments.length]
  if (!isOpen && extra !== undefined)
    throw usageFailure(`the argument ${JSON.stringify(extra)} is one too many`, advice)
  for (const [index, arg] of args.entries()) {
    const { name, choices } = command.arguments[Math.min(index, command.arguments.length - 1)] ?? { name: '' }
    if (choices !== undefined && !choices.includes(arg)) {
      throw usageFailure(`${JSON.stringify(arg)} is not a valid ${name}`, `use one of: ${choices.join(', ')}`)
    }
    // They would lead to another path of the API.
    if (['', '.', '..'].includes(arg))
      throw usageFailure(`${JSON.stringify(arg)} is not a valid ${name}`, advice)
  }
}
