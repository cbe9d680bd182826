import { spawn } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'

/** The result of one step of the check, with its output. */
export interface StepResult {
  readonly passed: boolean
  readonly output: string
}

export interface RunToolOptions {
  readonly directory: string
  readonly tool: string
  readonly args: readonly string[]
}

const toolsDirectory = path.resolve(import.meta.dirname, '..', '..', 'node_modules', '.bin')

/** Runs a tool that the repository has installed in `directory`. Resolves with its result and output. */
export async function runTool({ directory, tool, args }: RunToolOptions): Promise<StepResult> {
  const search = [toolsDirectory, process.env['PATH']].join(path.delimiter)
  const child = spawn(tool, args, {
    cwd: directory,
    env: { ...process.env, PATH: search, TURBO_TELEMETRY_DISABLED: '1' },
    shell: process.platform === 'win32',
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      output += String(chunk)
    })
  }
  const [code] = await once(child, 'close')
  return { passed: code === 0, output }
}
