import type { Command } from '../command.ts'
import { globalOptions } from '../global-options.ts'
import type { OptionTable } from '../options.ts'

/** The completion script of each shell. */
export const shells = { bash: bashScript, zsh: zshScript, fish: fishScript } as const

interface Completed {
  /** Such as `dead-letters list`. */
  readonly name: string
  readonly options: OptionTable
  /** The accepted arguments, if there are few. */
  readonly words: readonly string[]
}

function completedOf(commands: readonly Command[]): Completed[] {
  return commands.map((command) => ({
    name: command.name,
    options: { ...command.options, ...globalOptions },
    words: command.arguments.flatMap(({ choices }) => choices ?? []),
  }))
}

/** The first words of all commands, each with its second words. */
function groupsOf(commands: readonly Command[]): Map<string, string[]> {
  const groups = new Map<string, string[]>()
  for (const { name } of commands) {
    const [first = '', second] = name.split(' ')
    groups.set(first, [...(groups.get(first) ?? []), ...(second === undefined ? [] : [second])])
  }
  return groups
}

function flagsOf(options: OptionTable): string {
  return Object.keys(options)
    .map((name) => `--${name}`)
    .join(' ')
}

/** The accepted values of each option. An option has the same form in every command. */
function valuesOf(commands: readonly Command[]): Map<string, readonly string[] | 'file' | 'any'> {
  const values = new Map<string, readonly string[] | 'file' | 'any'>()
  for (const options of [globalOptions, ...commands.map((command) => command.options)]) {
    for (const [name, option] of Object.entries(options as OptionTable)) {
      if (option.value === undefined) continue
      values.set(`--${name}`, option.choices ?? (option.isFile ? 'file' : 'any'))
    }
  }
  return values
}

function bashScript(commands: readonly Command[]): string {
  const values = [...valuesOf(commands)].map(([name, accepted]) => {
    if (accepted === 'file') return `    ${name}) COMPREPLY=($(compgen -f -- "$current")); return ;;`
    if (accepted === 'any') return `    ${name}) return ;;`
    return `    ${name}) COMPREPLY=($(compgen -W "${accepted.join(' ')}" -- "$current")); return ;;`
  })
  const groups = [...groupsOf(commands)]
  const second = groups.filter(([, words]) => words.length > 0)
  return `# Completion of queue for bash.
_queue() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}"
  local first="\${COMP_WORDS[1]:-}" second="\${COMP_WORDS[2]:-}"
  COMPREPLY=()
  case "$previous" in
${values.join('\n')}
  esac
  if [[ "$COMP_CWORD" -eq 1 && "$current" != -* ]]; then
    COMPREPLY=($(compgen -W "${groups.map(([word]) => word).join(' ')}" -- "$current")); return
  fi
  if [[ "$COMP_CWORD" -eq 2 && "$current" != -* ]]; then
    case "$first" in
${second.map(([word, words]) => `      ${word}) COMPREPLY=($(compgen -W "${words.join(' ')}" -- "$current")); return ;;`).join('\n')}
    esac
  fi
  local options="${flagsOf(globalOptions)}" words=""
  case "$first $second" in
${completedOf(commands)
  .map(
    ({ name, options, words }) =>
      `    "${name}"${name.includes(' ') ? '' : '*'}) options="${flagsOf(options)}"; words="${words.join(' ')}" ;;`,
  )
  .join('\n')}
  esac
  if [[ "$current" == -* ]]; then COMPREPLY=($(compgen -W "$options" -- "$current"))
  else COMPREPLY=($(compgen -W "$words" -- "$current")); fi
}
complete -F _queue queue
`
}

function zshScript(commands: readonly Command[]): string {
  return `#compdef queue
# Completion of queue for zsh: that for bash, through the shell's own bridge.
autoload -Uz bashcompinit && bashcompinit
${bashScript(commands)}`
}

function fishScript(commands: readonly Command[]): string {
  const groups = [...groupsOf(commands)]
  const summaryOf = (name: string): string => commands.find((command) => command.name === name)?.summary ?? ''
  const first = groups.map(
    ([word]) => `complete -c queue -n __fish_use_subcommand -f -a ${word} -d ${quoted(summaryOf(word))}`,
  )
  const second = groups.flatMap(([word, words]) =>
    words.map(
      (subcommand) =>
        `complete -c queue -n '__fish_seen_subcommand_from ${word}; and not __fish_seen_subcommand_from ${words.join(' ')}' -f -a ${subcommand} -d ${quoted(summaryOf(`${word} ${subcommand}`))}`,
    ),
  )
  const own = commands.flatMap(({ name, options, arguments: words }) => {
    const condition = `'${name
      .split(' ')
      .map((word) => `__fish_seen_subcommand_from ${word}`)
      .join('; and ')}'`
    const choices = words.flatMap(({ choices: allowed }) => allowed ?? [])
    return [
      ...optionLines(options, `-n ${condition}`),
      ...(choices.length > 0 ? [`complete -c queue -n ${condition} -f -a '${choices.join(' ')}'`] : []),
    ]
  })
  return [
    '# Completion of queue for fish.',
    ...first,
    ...second,
    ...optionLines(globalOptions, ''),
    ...own,
    '',
  ].join('\n')
}

function optionLines(options: OptionTable, condition: string): string[] {
  return Object.entries(options).map(([name, option]) => {
    const values = option.value === undefined ? undefined : option.choices
    const value = option.value === undefined ? '' : option.isFile ? ' -r' : ' -x'
    const choices = values === undefined ? '' : ` -a '${values.join(' ')}'`
    return `complete -c queue ${condition} -l ${name}${value}${choices} -d ${quoted(option.summary)}`.replaceAll(
      / {2,}/g,
      ' ',
    )
  })
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "\\'")}'`
}
