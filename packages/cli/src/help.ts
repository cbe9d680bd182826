import type { Argument, Command } from './command.ts'
import { commands } from './commands/index.ts'
import { usageFailure } from './failure.ts'
import { globalOptions } from './global-options.ts'
import type { Option, OptionTable } from './options.ts'

/** The text of `--help`: for one command, for the commands that begin with a word, or for all. */
export function helpText(about: Command | string): string {
  if (typeof about !== 'string') return helpOf(about)
  const listed = commands.filter(({ name }) => about === '' || name.startsWith(`${about} `))
  if (listed.length === 0) {
    throw usageFailure(`${JSON.stringify(about)} is not a command`, 'queue --help lists the commands')
  }
  return [
    'queue: manage jobs, dead letters, queues, workers and keys, over the API or in the database',
    '',
    'Usage: queue COMMAND [OPTIONS]',
    '',
    ...columns(listed.map((command) => [usageOf(command), command.summary])),
    '',
    'Options of every command:',
    ...optionLines(globalOptions),
    '',
    'queue COMMAND --help shows the options of a command, and examples.',
    '',
  ].join('\n')
}

function helpOf(command: Command): string {
  const { name, summary, description, options, examples } = command
  const own = optionLines(options)
  return [
    `queue ${name}: ${summary}`,
    ...(description === undefined ? [] : ['', ...wrap(description)]),
    '',
    `Usage: queue ${usageOf(command)}${own.length > 0 ? ' [OPTIONS]' : ''}`,
    ...(own.length > 0 ? ['', ...own] : []),
    '',
    'Options of every command:',
    ...optionLines(globalOptions),
    '',
    'Examples:',
    ...examples.flatMap(({ line, description: comment }) => [`  # ${comment}`, `  ${line}`]),
    '',
  ].join('\n')
}

/** The name of a command with its arguments. */
export function usageOf({ name, arguments: args }: Command): string {
  return [name, ...args.map(argumentText)].join(' ')
}

function argumentText({ name, count, choices }: Argument): string {
  const shown = choices?.join('|') ?? name
  if (count === 'many') return `${shown}…`
  return count === 'any' ? `[${shown}…]` : shown
}

export function optionText(name: string, { value }: Option): string {
  return value === undefined ? `--${name}` : `--${name} ${value}`
}

export function optionSummary(option: Option): string {
  const choices = option.value === undefined ? undefined : option.choices
  return choices === undefined ? option.summary : `${option.summary}: ${choices.join(', ')}`
}

function optionLines(options: OptionTable): string[] {
  return columns(
    Object.entries(options).map(([name, option]) => [optionText(name, option), optionSummary(option)]),
  )
}

const widthMax = 100

function columns(pairs: readonly (readonly [string, string])[]): string[] {
  const width = Math.max(0, ...pairs.map(([left]) => left.length))
  return pairs.flatMap(([left, right]) =>
    wrap(right, widthMax - width - 4).map((line, index) =>
      `  ${(index === 0 ? left : '').padEnd(width)}  ${line}`.trimEnd(),
    ),
  )
}

/** Wraps text at spaces to lines of at most `width` characters. */
function wrap(text: string, width = widthMax): string[] {
  const lines = ['']
  for (const word of text.split(' ')) {
    const last = lines.at(-1) ?? ''
    if (last !== '' && last.length + 1 + word.length > width) lines.push(word)
    else lines[lines.length - 1] = last === '' ? word : `${last} ${word}`
  }
  return lines
}
