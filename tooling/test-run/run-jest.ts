import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createRequire } from 'node:module'
import path from 'node:path'

const repository = path.resolve(import.meta.dirname, '..', '..')

export interface JestRun {
  /** The folder of the package, from the root of the repository. */
  readonly folder: string
  readonly args: readonly string[]
  readonly environment: NodeJS.ProcessEnv
  /** Ends the run, which still takes until its process has ended. */
  readonly stopped: AbortSignal
}

export interface FinishedJest {
  readonly passed: boolean
  readonly seconds: number
  /** What it wrote to stdout and stderr, as it came. */
  readonly output: string
}

/** Runs the tests of one package, in a process group of its own: a Ctrl-C reaches it once, through us. */
export async function runJest({ folder, args, environment, stopped }: JestRun): Promise<FinishedJest> {
  if (stopped.aborted) return { passed: false, seconds: 0, output: '' }
  const started = performance.now()
  const jest = createRequire(import.meta.url).resolve('jest/bin/jest')
  const child = spawn(process.execPath, [jest, ...args], {
    cwd: path.resolve(repository, folder),
    detached: process.platform !== 'win32',
    env: environment,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const stop = (): void => void child.kill('SIGTERM')
  stopped.addEventListener('abort', stop)
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => (output += text))
  }
  const [code] = (await once(child, 'close')) as [number | null]
  stopped.removeEventListener('abort', stop)
  return { passed: code === 0, seconds: (performance.now() - started) / 1_000, output }
}
