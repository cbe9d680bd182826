import { spawn } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'

/** How one step of the check has ended. `output` is what there is to read if it failed. */
export interface StepResult {
  readonly passed: boolean
  readonly output: string
}

export interface RunToolOptions {
  readonly directory: string
  readonly tool: string
  readonly args: readonly string[]
}

const installed = path.resolve(import.meta.dirname, '..', '..', 'node_modules', '.bin')

/** Runs one of the repository's own tools in `directory` and keeps its output. */
export async function runTool({ directory, tool, args }: RunToolOptions): Promise<StepResult> {
  const search = [installed, process.env['PATH']].join(path.delimiter)
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
