import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Readable } from 'node:stream'
import { compileCache, isPooled, networkEnvironment, programFile } from '@queue/test-database'
import { eventually } from '@queue/testing'

/** The API as it is deployed: a process of its own. */
export interface ApiProcess {
  readonly pid: number
  readonly stdout: () => string
  readonly stderr: () => string
  /** Where it listens, once it says so. */
  url(): Promise<string>
  signal(name: 'SIGTERM' | 'SIGKILL' | 'SIGUSR2'): void
  /** The exit code, once it has ended. */
  ended(): Promise<number | null>
}

const main = new URL('../../src/main.ts', import.meta.url)

/**
 * Starts the API with this environment and nothing of ours but the PATH, the network's variables, and what a pooler needs. The
 * modules of `imports` run before it.
 */
export function startApiProcess(
  env: Readonly<Record<string, string>>,
  imports: readonly URL[] = [],
): ApiProcess {
  const child: ChildProcessByStdio<null, Readable, Readable> = spawn(
    process.execPath,
    [
      '--conditions=@queue/source',
      '--disable-warning=ExperimentalWarning',
      ...imports.map(({ href }) => `--import=${href}`),
      programFile(main),
    ],
    {
      env: {
        PATH: process.env['PATH'],
        ...networkEnvironment(),
        ...compileCache,
        LOG_FORMAT: 'json',
        API_BIND_ADDR: '127.0.0.1:0',
        API_OPS_BIND_ADDR: '127.0.0.1:0',
        ...(isPooled() ? { DATABASE_POOLER: 'transaction' } : {}),
        ...env,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  )
  const texts = { stdout: '', stderr: '' }
  child.stdout.on('data', (chunk) => (texts.stdout += String(chunk)))
  child.stderr.on('data', (chunk) => (texts.stderr += String(chunk)))
  const closed = once(child, 'close')
  if (child.pid === undefined) throw new Error('the API could not be started')
  return {
    pid: child.pid,
    stdout: () => texts.stdout,
    stderr: () => texts.stderr,
    url: () =>
      eventually(() => /"url":"([^"]+)"/.exec(texts.stdout)?.[1], {
        what: () => `listening (${texts.stderr})`,
      }),
    signal: (name) => void child.kill(name),
    ended: async () => {
      await closed
      return child.exitCode
    },
  }
}
