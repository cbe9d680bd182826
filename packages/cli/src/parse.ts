import { parseArgs } from 'node:util'
import type { Command } from './command.ts'
import { commands } from './commands/index.ts'
import { Failure, usageFailure } from './failure.ts'
import { globalOptions } from './global-options.ts'
import type { OptionTable, ValuesOf } from './options.ts'

/** What was typed. */
export type Invocation =
  | { readonly kind: 'version' }
  /** Of one command, of the commands that begin with a word, or of all. */
  | { readonly kind: 'help'; readonly about: Command | string }
  | {
      readonly kind: 'run'
      readonly command: Command
      readonly values: Readonly<Record<string, unknown>>
      readonly global: ValuesOf<typeof globalOptions>
      readonly words: readonly string[]
    }

type ParseConfig = Record<string, { type: 'string' | 'boolean'; short?: string }>

/** Reads the command line by `parseArgs` of Node, as the other programs here do. Throws a usage failure. */
export function parseInvocation(argv: readonly string[]): Invocation {
  if (argv.includes('--version')) return { kind: 'version' }
  const { positionals, isHelp } = findWords(argv)
  const words = positionals[0] === 'help' ? positionals.slice(1) : positionals
  const command = findCommand(words)
  if (isHelp || words.length < positionals.length || words.length === 0) {
    return { kind: 'help', about: command ?? words[0] ?? '' }
  }
  if (command === undefined) throw unknownCommand(words)
  const options: OptionTable = { ...globalOptions, ...command.options }
  const parsed = parseStrictly(argv, { options, command })
  const values = readValues(parsed.values, options)
  const ownWords = parsed.positionals.slice(command.name.split(' ').length)
  checkWords(ownWords, command)
  const isGlobal = (name: string): boolean => name in globalOptions
  return {
    kind: 'run',
    command,
    words: ownWords,
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

/** The words that are no options, whatever the command is: an option has the same form in all commands that take it. */
function findWords(argv: readonly string[]): { positionals: string[]; isHelp: boolean } {
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

/** The command whose name the words begin with. */
function findCommand(words: readonly string[]): Command | undefined {
  return commands.find(({ name }) => name.split(' ').every((part, place) => part === words[place]))
}

function unknownCommand(words: readonly string[]): Failure {
  const [first = ''] = words
  const group = commands.filter(({ name }) => name.startsWith(`${first} `))
  if (group.length > 0) {
    const accepted = group.map(({ name }) => name).join(', ')
    return usageFailure(`${JSON.stringify(words.join(' '))} is not a command`, `these are: ${accepted}`)
  }
  return usageFailure(`${JSON.stringify(first)} is not a command`, 'queue --help lists them')
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
    // The first sentence of Node's message names the option; the rest is about options in general.
    const [fault = ''] = (error as Error).message.split(/\.\s/)
    throw usageFailure(fault, `queue ${command.name} --help says what it takes`)
  }
}

function readValues(given: Readonly<Record<string, unknown>>, options: OptionTable): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(given).map(([name, value]) => {
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

function checkWords(words: readonly string[], command: Command): void {
  const needed = command.arguments.filter(({ count }) => count !== 'any')
  const missing = needed[words.length]
  const advice = `queue ${command.name} --help says what it takes`
  if (missing !== undefined) throw usageFailure(`${missing.name} is missing`, advice)
  const isOpen = command.arguments.some(({ count }) => count === 'many' || count === 'any')
  const extra = words[command.arguments.length]
  if (!isOpen && extra !== undefined)
    throw usageFailure(`${JSON.stringify(extra)} is one word too many`, advice)
  for (const [place, word] of words.entries()) {
    const { name, choices } = command.arguments[Math.min(place, command.arguments.length - 1)] ?? { name: '' }
    if (choices !== undefined && !choices.includes(word)) {
      throw usageFailure(`${JSON.stringify(word)} is no ${name}`, `one of ${choices.join(', ')}`)
    }
    // They would be another path of the API.
    if (['', '.', '..'].includes(word)) throw usageFailure(`${JSON.stringify(word)} names nothing`, advice)
  }
}
