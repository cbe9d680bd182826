import { type Command, defineCommand } from '../command.ts'
import { shells } from '../completion/completion-script.ts'

const names = Object.keys(shells) as (keyof typeof shells)[]

export const completion: Command = defineCommand({
  name: 'completion',
  summary: 'print a shell completion script',
  description:
    'For bash, add the first example to ~/.bashrc. For zsh, write the script as _queue into a folder of $fpath.',
  arguments: [{ name: 'SHELL', choices: names }],
  options: {},
  examples: [
    { line: 'source <(queue completion bash)', description: 'bash' },
    { line: 'queue completion zsh > _queue', description: 'zsh' },
    { line: 'queue completion fish > queue.fish', description: 'fish: in ~/.config/fish/completions' },
  ],
  async run({ args: [shell], commands, print }) {
    const name = names.find((one) => one === shell)
    if (name !== undefined) await print.raw(shells[name](commands))
  },
})
