import { escapeCell } from './escape-cell.ts'

/** The properties of a command that the page about the command line shows. */
export interface PageCommand {
  readonly name: string
  readonly summary: string
  readonly description?: string
  readonly options: Readonly<Record<string, object>>
  readonly examples: readonly { readonly line: string; readonly description: string }[]
}

/** A program with commands. */
export interface PageProgram {
  readonly name: string
  readonly commands: readonly PageCommand[]
}

/** The functions that render the parts of a command for `--help`. */
export interface HelpTexts {
  readonly usageOf: (command: PageCommand) => string
  readonly optionText: (name: string, option: object) => string
  readonly optionSummary: (option: object) => string
}

const begin = '<!-- Commands: written by `pnpm docs:write` from the commands. Do not edit. -->'
const end = '<!-- End of commands. -->'

/** Returns the document with an updated section for each command. Throws if the document has no markers for them. */
export function withCommands(
  document: string,
  { program, texts }: { readonly program: PageProgram; readonly texts: HelpTexts },
): string {
  const [before, afterBegin] = document.split(begin)
  const after = afterBegin?.split(end)[1]
  if (before === undefined || after === undefined)
    throw new Error(`the document needs the lines ${begin} and ${end}`)
  const sections = program.commands.map((command) => sectionOf(program.name, command, texts))
  return [before, begin, '\n\n', sections.join('\n\n'), '\n\n', end, after].join('')
}

function sectionOf(program: string, command: PageCommand, texts: HelpTexts): string {
  const { summary, description, options, examples } = command
  const rows = Object.entries(options).map(
    ([name, option]) =>
      `| \`${escapeCell(texts.optionText(name, option))}\` | ${escapeCell(texts.optionSummary(option))} |`,
  )
  const table = rows.length === 0 ? [] : [['| Option | |', '| --- | --- |', ...rows].join('\n')]
  const sentence = `${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`
  const samples = examples.flatMap((example) => [`# ${example.description}`, example.line])
  return [
    `### ${program} ${texts.usageOf(command)}`,
    description === undefined ? sentence : `${sentence} ${description}`,
    ...table,
    ['```sh', ...samples, '```'].join('\n'),
  ].join('\n\n')
}
