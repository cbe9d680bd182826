import { spawn } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'

/** A block of the guide: a file to write, or commands to run. */
export type GuideBlock =
  | { readonly type: 'file'; readonly name: string; readonly text: string }
  | {
      readonly type: 'commands'
      readonly text: string
      /** The package manager of a block that begins with its name, such as `# pnpm`. */
      readonly manager?: string
    }

const fence = /^```(?<language>\w+)\n(?<text>[\s\S]*?)^```$/gm

/** Returns the blocks of the guide in their order. Throws if a block is neither a named file nor commands. */
export function blocksOf(guide: string): GuideBlock[] {
  return [...guide.matchAll(fence)].map(({ groups }): GuideBlock => {
    const { language, text = '' } = groups ?? {}
    if (language === 'sh') {
      const manager = /^# (\S.*)\n/.exec(text)?.[1]
      return { type: 'commands', text, ...(manager !== undefined && { manager }) }
    }
    const name = /^\/\/ (\S+)\n/.exec(text)?.[1]
    if (name === undefined)
      throw new Error(`a block of the guide is neither commands nor a named file:\n${text}`)
    return { type: 'file', name, text }
  })
}

/** The package managers with which the guide installs. */
export function managersOf(blocks: readonly GuideBlock[]): string[] {
  return blocks.flatMap((block) =>
    block.type === 'commands' && block.manager !== undefined ? [block.manager] : [],
  )
}

/** The blocks for whoever installs with `manager`; without one, none that installs. */
export function blocksFor(blocks: readonly GuideBlock[], manager?: string): GuideBlock[] {
  return blocks.filter(
    (block) => block.type === 'file' || block.manager === undefined || block.manager === manager,
  )
}

export interface GuideRun {
  readonly blocks: readonly GuideBlock[]
  /** An empty folder. */
  readonly directory: string
  readonly env: NodeJS.ProcessEnv
}

/** Carries out the guide in one shell. Resolves with the output. If a command fails, the error contains the output. */
export async function runGuide({ blocks, directory, env }: GuideRun): Promise<string> {
  for (const block of blocks) {
    if (block.type !== 'file') continue
    const file = path.join(directory, block.name)
    await mkdir(path.dirname(file), { recursive: true })
    await writeFile(file, block.text)
  }
  const commands = blocks.flatMap((block) => (block.type === 'commands' ? [block.text] : []))
  const script = ['set -e', "trap 'kill $(jobs -p) 2> /dev/null || true' EXIT", ...commands].join('\n')
  const shell = spawn('bash', ['-c', script], { cwd: directory, env, stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  for (const stream of [shell.stdout, shell.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
  }
  const code = await new Promise<number | null>((resolve, reject) => {
    shell.once('close', resolve)
    shell.once('error', reject)
  })
  if (code !== 0) throw new Error(`the commands of the guide ended with exit code ${code}:\n${output}`)
  return output
}
