import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { compileCache, programFile } from '@queue/test-database'

export interface FinishedRun {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** A running program whose output can be read. */
export interface StartedRun {
  readonly process: ChildProcess
  /** Resolves when standard error contains the text; rejects if the program ends before. */
  logged(text: string): Promise<void>
  readonly finished: Promise<FinishedRun>
}

type Environment = Readonly<Record<string, string>>

const main = programFile(new URL('../src/main.ts', import.meta.url))
/** A program that hangs is killed, and its test fails. */
const lifetimeMsMax = 240_000

/** Runs the program to its end, with the same environment as `startMigrate`. */
export function runMigrate(args: readonly string[], env: Environment): Promise<FinishedRun> {
  return startMigrate(args, env).finished
}

/** Starts the program from its sources as a separate process, without the environment of this process. */
export function startMigrate(args: readonly string[], env: Environment): StartedRun {
  const child = spawn(process.execPath, ['--conditions=@queue/source', main, ...args], {
    env: { ...compileCache, LOG_FORMAT: 'json', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: lifetimeMsMax,
    killSignal: 'SIGKILL',
  })
  let stdout = ''
  let stderr = ''
  child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()))
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()))
  const finished = once(child, 'close').then(([code]) => ({ code: code as number | null, stdout, stderr }))
  const logged = async (text: string): Promise<void> => {
    while (!stderr.includes(text)) {
      const more = once(child.stderr, 'data').then(() => 'more' as const)
      const next = await Promise.race([more, finished])
      if (next !== 'more' && !stderr.includes(text))
        throw new Error(`ended without ${text}: ${stdout}${stderr}`)
    }
  }
  return { process: child, logged, finished }
}
