import type { CommandDescription } from './command.ts'
import type { OptionTable } from './options.ts'

/** What a script completes. */
export interface CompletedProgram {
  readonly name: string
  readonly commands: readonly CommandDescription[]
  readonly globalOptions: OptionTable
}

/** The completion script of each shell. */
export const shells = { bash: bashScript, zsh: zshScript, fish: fishScript } as const

interface Completed {
  /** Such as `dead-letters list`. */
  readonly name: string
  readonly options: OptionTable
  /** The accepted arguments, if there are few. */
  readonly words: readonly string[]
}

function completedOf({ commands, globalOptions }: CompletedProgram): Completed[] {
  return commands.map((command) => ({
    name: command.name,
    options: { ...command.options, ...globalOptions },
    words: command.arguments.flatMap(({ choices }) => choices ?? []),
  }))
}

/** The first words of all commands, each with its second words. */
function groupsOf({ commands }: CompletedProgram): Map<string, string[]> {
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
function valuesOf({
  commands,
  globalOptions,
}: CompletedProgram): Map<string, readonly string[] | 'file' | 'any'> {
  const values = new Map<string, readonly string[] | 'file' | 'any'>()
  for (const options of [globalOptions, ...commands.map((command) => command.options)]) {
    for (const [name, option] of Object.entries(options)) {
      if (option.value === undefined) continue
      values.set(`--${name}`, option.choices ?? (option.isFile ? 'file' : 'any'))
    }
  }
  return values
}

function bashScript(program: CompletedProgram): string {
  const { name: programName } = program
  const functionName = `_${programName.replaceAll('-', '_')}`
  const values = [...valuesOf(program)].map(([name, accepted]) => {
    if (accepted === 'file') return `    ${name}) COMPREPLY=($(compgen -f -- "$current")); return ;;`
    if (accepted === 'any') return `    ${name}) return ;;`
    return `    ${name}) COMPREPLY=($(compgen -W "${accepted.join(' ')}" -- "$current")); return ;;`
  })
  const groups = [...groupsOf(program)]
  const second = groups.filter(([, words]) => words.length > 0)
  return `# Completion of ${programName} for bash.
${functionName}() {
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
  local options="${flagsOf(program.globalOptions)}" words=""
  case "$first $second" in
${completedOf(program)
  .map(
    ({ name, options, words }) =>
      `    "${name}"${name.includes(' ') ? '' : '*'}) options="${flagsOf(options)}"; words="${words.join(' ')}" ;;`,
  )
  .join('\n')}
  esac
  if [[ "$current" == -* ]]; then COMPREPLY=($(compgen -W "$options" -- "$current"))
  else COMPREPLY=($(compgen -W "$words" -- "$current")); fi
}
complete -F ${functionName} ${programName}
`
}

function zshScript(program: CompletedProgram): string {
  return `#compdef ${program.name}
# Completion of ${program.name} for zsh: that for bash, through the shell's own bridge.
autoload -Uz bashcompinit && bashcompinit
${bashScript(program)}`
}

function fishScript(program: CompletedProgram): string {
  const { name: programName, commands, globalOptions } = program
  const complete = `complete -c ${programName}`
  const groups = [...groupsOf(program)]
  const summaryOf = (name: string): string => commands.find((command) => command.name === name)?.summary ?? ''
  const first = groups.map(
    ([word]) => `${complete} -n __fish_use_subcommand -f -a ${word} -d ${quoted(summaryOf(word))}`,
  )
  const second = groups.flatMap(([word, words]) =>
    words.map(
      (subcommand) =>
        `${complete} -n '__fish_seen_subcommand_from ${word}; and not __fish_seen_subcommand_from ${words.join(' ')}' -f -a ${subcommand} -d ${quoted(summaryOf(`${word} ${subcommand}`))}`,
    ),
  )
  const own = commands.flatMap(({ name, options, arguments: words }) => {
    const condition = `'${name
      .split(' ')
      .map((word) => `__fish_seen_subcommand_from ${word}`)
      .join('; and ')}'`
    const choices = words.flatMap(({ choices: allowed }) => allowed ?? [])
    return [
      ...optionLines(options, `${complete} -n ${condition}`),
      ...(choices.length > 0 ? [`${complete} -n ${condition} -f -a '${choices.join(' ')}'`] : []),
    ]
  })
  return [
    `# Completion of ${programName} for fish.`,
    ...first,
    ...second,
    ...optionLines(globalOptions, complete),
    ...own,
    '',
  ].join('\n')
}

function optionLines(options: OptionTable, complete: string): string[] {
  return Object.entries(options).map(([name, option]) => {
    const values = option.value === undefined ? undefined : option.choices
    const value = option.value === undefined ? '' : option.isFile ? ' -r' : ' -x'
    const choices = values === undefined ? '' : ` -a '${values.join(' ')}'`
    return `${complete} -l ${name}${value}${choices} -d ${quoted(option.summary)}`
  })
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "\\'")}'`
}
