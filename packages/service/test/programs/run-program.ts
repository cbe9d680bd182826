import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { programFile } from '@queue/test-database'

export interface FinishedProgram {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly stdout: string
  readonly stderr: string
}

export interface RunningProgram {
  readonly process: ChildProcess
  /** Resolves when standard output contains the text; rejects if the program ends before. */
  printed(text: string): Promise<void>
  readonly finished: Promise<FinishedProgram>
}

const program = programFile(new URL('program.ts', import.meta.url))

/**
 * Starts the test program from its sources as a separate process, without the environment of this process.
 */
export function startProgram(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): RunningProgram {
  const child = spawn(process.execPath, ['--conditions=@queue/source', program, ...args], {
    env: { DATABASE_URL: 'postgres://app:hunter2@db/queue', LOG_FORMAT: 'json', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    // A program that hangs is killed, and its test fails.
    timeout: 240_000,
    killSignal: 'SIGKILL',
  })
  let stdout = ''
  let stderr = ''
  child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()))
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()))
  const finished = once(child, 'close').then(([code, signal]) => {
    return { code: code as number | null, signal: signal as NodeJS.Signals | null, stdout, stderr }
  })
  const printed = async (text: string): Promise<void> => {
    while (!stdout.includes(text)) {
      const ended = await Promise.race([
        once(child.stdout, 'data').then(() => false),
        finished.then(() => true),
      ])
      if (ended && !stdout.includes(text))
        throw new Error(`ended without printing ${text}: ${stdout}${stderr}`)
    }
  }
  return { process: child, printed, finished }
}
