import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { compileCache, programFile } from '@queue/test-database'

interface LogLine {
  readonly level: string
  readonly message: string
  readonly [field: string]: unknown
}

interface EndedProcess {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly stdout: string
  readonly stderr: string
  readonly log: readonly LogLine[]
}

/** A worker process that runs from its sources. */
export interface WorkerProcess {
  readonly process: ChildProcess
  readonly ended: Promise<EndedProcess>
  /** Resolves with the first line that has this message; rejects if the process ends without one. */
  logged(message: string): Promise<LogLine>
  /** The log lines so far. */
  log(): readonly LogLine[]
  /** Requests a path. Resolves with the status and the body. */
  page(path: string): Promise<{ readonly status: number; readonly body: string }>
}

/** The main files from which a worker process can be started. */
export const mainFiles = {
  source: programFile(new URL('../src/main.ts', import.meta.url)),
  built: fileURLToPath(new URL('../dist/main.js', import.meta.url)),
  misbehaving: programFile(new URL('programs/misbehaving-worker.ts', import.meta.url)),
} as const

export interface StartOptions {
  readonly env: Readonly<Record<string, string>>
  readonly args?: readonly string[]
  /** The main file; default: the source. */
  readonly main?: keyof typeof mainFiles
}

/** Starts a worker without the environment of this process, by default simulated and on a free port. */
function startWorkerProcess({ env, args = [], main = 'source' }: StartOptions): WorkerProcess {
  const flags = main === 'built' ? [] : ['--conditions=@queue/source']
  const child = spawn(process.execPath, [...flags, mainFiles[main], ...args], {
    env: {
      ...compileCache,
      EXECUTOR: 'simulated',
      LOG_FORMAT: 'json',
      WORKER_METRICS_BIND_ADDR: '127.0.0.1:0',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let stdout = ''
  let stderr = ''
  child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()))
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()))
  const ended = once(child, 'close').then(([code, signal]) => {
    return {
      code: code as number | null,
      signal: signal as NodeJS.Signals | null,
      stdout,
      stderr,
      log: parseLog(stdout),
    }
  })

  const logged = async (message: string): Promise<LogLine> => {
    for (;;) {
      const line = parseLog(stdout).find((entry) => entry.message === message)
      if (line !== undefined) return line
      const hasEnded = await Promise.race([
        ended.then(() => true),
        once(child.stdout, 'data').then(() => false),
      ])
      if (hasEnded && !stdout.includes(message)) {
        throw new Error(`the worker ended without saying ${JSON.stringify(message)}:\n${stdout}${stderr}`)
      }
    }
  }

  const page = async (path: string) => {
    const { url } = await logged('serving health and metrics')
    const response = await fetch(`${String(url)}${path}`, { headers: { connection: 'close' } })
    return { status: response.status, body: await response.text() }
  }

  return { process: child, ended, logged, log: () => parseLog(stdout), page }
}

/** The complete lines of a log. The text may end within a line. */
function parseLog(text: string): LogLine[] {
  return text
    .split('\n')
    .slice(0, -1)
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as LogLine)
}

/** Starts workers and records them, so that they are stopped after a failed test too. */
export function createWorkerProcesses() {
  const started: WorkerProcess[] = []
  return {
    start(options: StartOptions): WorkerProcess {
      const worker = startWorkerProcess(options)
      started.push(worker)
      return worker
    },
    async killAll(): Promise<void> {
      for (const { process: child } of started) child.kill('SIGKILL')
      await Promise.all(started.splice(0).map(({ ended }) => ended))
    },
  }
}
