import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createRequire } from 'node:module'
import path from 'node:path'

const repository = path.resolve(import.meta.dirname, '..')

/**
 * Runs turbo in a process group of its own, so that a Ctrl-C reaches it once and through us, and gives its exit
 * code. When `stopped` fires it is told to end, and the answer still waits until it has.
 */
export async function startTurbo(
  args: readonly string[],
  environment: NodeJS.ProcessEnv,
  stopped: AbortSignal,
): Promise<number> {
  if (stopped.aborted) return 1
  const turbo = createRequire(import.meta.url).resolve('turbo/bin/turbo')
  const child = spawn(process.execPath, [turbo, ...args], {
    cwd: repository,
    detached: process.platform !== 'win32',
    env: { TURBO_TELEMETRY_DISABLED: '1', ...environment },
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  const stop = (): void => void child.kill('SIGTERM')
  stopped.addEventListener('abort', stop)
  const [code] = await once(child, 'exit')
  stopped.removeEventListener('abort', stop)
  return code ?? 1
}
