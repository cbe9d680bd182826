import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createRequire } from 'node:module'
import path from 'node:path'

const repository = path.resolve(import.meta.dirname, '..')

/**
 * Runs turbo in its own process group, so that a Ctrl-C reaches it only once, through this process. Resolves with its exit code.
 * When `stopped` aborts, turbo gets a SIGTERM, and the promise still resolves only after its end.
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
