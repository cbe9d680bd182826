import { type Command, defineCommand } from '../command.ts'
import { shells } from '../completion/completion-script.ts'

const names = Object.keys(shells) as (keyof typeof shells)[]

export const completion: Command = defineCommand({
  name: 'completion',
  summary: 'print what completes this command in a shell',
  description:
    'For bash, add the first example to ~/.bashrc. For zsh, write it as _queue into a folder of $fpath.',
  arguments: [{ name: 'SHELL', choices: names }],
  options: {},
  examples: [
    { line: 'source <(queue completion bash)', says: 'bash' },
    { line: 'queue completion zsh > _queue', says: 'zsh' },
    { line: 'queue completion fish > queue.fish', says: 'fish: in ~/.config/fish/completions' },
  ],
  async run({ words: [shell], commands, print }) {
    const found = names.find((name) => name === shell)
    if (found !== undefined) await print.raw(shells[found](commands))
  },
})
