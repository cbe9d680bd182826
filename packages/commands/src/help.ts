import type { Argument, CommandDescription } from './command.ts'
import type { Option, OptionTable } from './options.ts'
import type { Program } from './program.ts'

/** The help of a program: of these commands, which are all of them or those that begin with a word. */
export function programHelp(program: Program, listed: readonly CommandDescription[]): string {
  const { name, summary, globalOptions, defaultCommand, appendix } = program
  const unnamed = defaultCommand === undefined ? '' : ` Without a command, it runs ${defaultCommand}.`
  return [
    `${name}: ${summary}`,
    '',
    `Usage: ${name} COMMAND [OPTIONS]`,
    '',
    ...columns(listed.map((command) => [usageOf(command), command.summary])),
    '',
    'Options of every command:',
    ...optionLines(globalOptions),
    '',
    `${name} COMMAND --help shows the options of a command, and examples.${unnamed}`,
    ...(appendix === undefined ? [] : ['', appendix()]),
    '',
  ].join('\n')
}

/** The help of one command. */
export function commandHelp({ name: program, globalOptions }: Program, command: CommandDescription): string {
  const { name, summary, description, options, examples } = command
  const own = optionLines(options)
  return [
    `${program} ${name}: ${summary}`,
    ...(description === undefined ? [] : ['', ...wrap(description)]),
    '',
    `Usage: ${program} ${usageOf(command)}${own.length > 0 ? ' [OPTIONS]' : ''}`,
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
export function usageOf({ name, arguments: args }: CommandDescription): string {
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
