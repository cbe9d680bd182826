import { spawn } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'

/** How one step of the check has ended. `output` is what there is to read if it failed. */
export interface StepResult {
  readonly passed: boolean
  readonly output: string
}

/** Runs an installed tool at the root of the repository and keeps its output. */
export async function runTool(root: string, tool: string, args: readonly string[]): Promise<StepResult> {
  const search = [path.join(root, 'node_modules', '.bin'), process.env['PATH']].join(path.delimiter)
  const child = spawn(tool, args, {
    cwd: root,
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
