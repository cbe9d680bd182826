import type { StaticCommand } from './command.ts'
import { type CompletedProgram, shells } from './completion-script.ts'

const names = Object.keys(shells) as (keyof typeof shells)[]

/** The command that prints the completion script of a shell. */
export function completionOf(program: CompletedProgram): StaticCommand {
  const { name } = program
  return {
    name: 'completion',
    summary: 'print a shell completion script',
    description: `For bash, add the first example to ~/.bashrc. For zsh, write the script as _${name} into a folder of $fpath.`,
    arguments: [{ name: 'SHELL', choices: names }],
    options: {},
    examples: [
      { line: `source <(${name} completion bash)`, description: 'bash' },
      { line: `${name} completion zsh > _${name}`, description: 'zsh' },
      {
        line: `${name} completion fish > ${name}.fish`,
        description: 'fish: in ~/.config/fish/completions',
      },
    ],
    answer: ([shell]) => shells[names.find((one) => one === shell) ?? 'bash'](program),
  }
}
