import { parseArgs } from 'node:util'
import type { Command } from './command.ts'
import { commands } from './commands/index.ts'
import { Failure, usageFailure } from './failure.ts'
import { globalOptions } from './global-options.ts'
import type { OptionTable, ValuesOf } from './options.ts'

/** A parsed command line. */
export type Invocation =
  | { readonly kind: 'version' }
  /** Help for one command, for the commands that begin with a word, or for all. */
  | { readonly kind: 'help'; readonly about: Command | string }
  | {
      readonly kind: 'run'
      readonly command: Command
      readonly values: Readonly<Record<string, unknown>>
      readonly global: ValuesOf<typeof globalOptions>
      readonly args: readonly string[]
    }

type ParseConfig = Record<string, { type: 'string' | 'boolean'; short?: string }>

/** Parses the command line with `parseArgs` of Node, as the other programs do. Throws a usage failure. */
export function parseInvocation(argv: readonly string[]): Invocation {
  if (argv.includes('--version')) return { kind: 'version' }
  const { positionals, isHelp } = findPositionals(argv)
  const words = positionals[0] === 'help' ? positionals.slice(1) : positionals
  const command = findCommand(words)
  if (isHelp || words.length < positionals.length || words.length === 0) {
    return { kind: 'help', about: command ?? words[0] ?? '' }
  }
  if (command === undefined) throw unknownCommand(words)
  const options: OptionTable = { ...globalOptions, ...command.options }
  const parsed = parseStrictly(argv, { options, command })
  const values = readValues(parsed.values, options)
  const args = parsed.positionals.slice(command.name.split(' ').length)
  checkArguments(args, command)
  const isGlobal = (name: string): boolean => name in globalOptions
  return {
    kind: 'run',
    command,
    args,
    global: pick(values, isGlobal),
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
function findPositionals(argv: readonly string[]): { positionals: string[]; isHelp: boolean } {
  const all = Object.assign({}, globalOptions, ...commands.map(({ options }) => options)) as OptionTable
  const { positionals, values } = parseArgs({
    args: [...argv],
    options: configOf(all),
    strict: false,
    allowPositionals: true,
  })
  return { positionals, isHelp: values['help'] === true }
}

function configOf(options: OptionTable): ParseConfig {
  return Object.fromEntries(
    Object.entries(options).map(([name, { value }]) => [
      name,
      { type: value === undefined ? 'boolean' : 'string', ...(name === 'help' ? { short: 'h' } : {}) },
    ]),
  )
}

/** The command whose name matches the first words. */
function findCommand(words: readonly string[]): Command | undefined {
  return commands.find(({ name }) => name.split(' ').every((part, index) => part === words[index]))
}

function unknownCommand(words: readonly string[]): Failure {
  const [first = ''] = words
  const group = commands.filter(({ name }) => name.startsWith(`${first} `))
  if (group.length > 0) {
    const names = group.map(({ name }) => name).join(', ')
    return usageFailure(`${JSON.stringify(words.join(' '))} is not a command`, `use one of: ${names}`)
  }
  return usageFailure(`${JSON.stringify(first)} is not a command`, 'queue --help lists the commands')
}

interface Parsed {
  readonly positionals: string[]
  readonly values: Readonly<Record<string, unknown>>
}

function parseStrictly(
  argv: readonly string[],
  { options, command }: { readonly options: OptionTable; readonly command: Command },
): Parsed {
  try {
    return parseArgs({ args: [...argv], options: configOf(options), allowPositionals: true })
  } catch (error) {
    // The first sentence of Node's message names the option; the rest is general.
    const [message = ''] = (error as Error).message.split(/\.\s/)
    throw usageFailure(message, `queue ${command.name} --help shows the options`)
  }
}

function readValues(
  inputs: Readonly<Record<string, unknown>>,
  options: OptionTable,
): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(inputs).map(([name, value]) => {
      const option = options[name]
      if (option?.value === undefined) return [name, value]
      try {
        return [name, option.read(String(value))]
      } catch (error) {
        throw error instanceof Failure
          ? usageFailure(`--${name} ${JSON.stringify(value)} ${error.message}`)
          : error
      }
    }),
  )
}

function checkArguments(args: readonly string[], command: Command): void {
  const required = command.arguments.filter(({ count }) => count !== 'any')
  const missing = required[args.length]
  const advice = `queue ${command.name} --help shows the arguments`
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
