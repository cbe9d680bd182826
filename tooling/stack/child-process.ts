import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createWriteStream, type WriteStream } from 'node:fs'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import type { ReadyMessage } from '@queue/service'

export interface ChildOptions {
  readonly name: string
  readonly script: string
  readonly args?: readonly string[]
  readonly env: NodeJS.ProcessEnv
  /** The file for its output. Without it, the output goes to that of this process, prefixed by the name. */
  readonly logFile?: string
}

/**
 * A child process in its own process group, so that a signal to the group of this process reaches it only through this process.
 */
export interface Child {
  readonly name: string
  readonly pid: number
  /** Resolves with its URL when it reports that it is ready. */
  readonly ready: Promise<string>
  /** Resolves when the process has ended, with its exit code or 128 + the signal's number. */
  readonly ended: Promise<number>
  /** Stops it with SIGTERM, and with SIGKILL if it does not end in time. */
  stop(): Promise<void>
}

/** Longer than the worker's default grace time, so that a graceful stop is never interrupted. */
const stopMsMax = 40_000

export async function startChild(options: ChildOptions): Promise<Child> {
  const child = spawn(process.execPath, [options.script, ...(options.args ?? [])], {
    env: options.env,
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    detached: true,
  })
  const ended = exitCodeOf(child)
  const ready = readyUrlOf(child)
  forwardOutput(child, options)
  await once(child, 'spawn')
  const { pid } = child
  if (pid === undefined) throw new Error(`${options.name} has no process id`)
  return { name: options.name, pid, ready, ended, stop: () => stopChild(child, ended) }
}

async function exitCodeOf(child: ChildProcess): Promise<number> {
  const [code, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null]
  return code ?? (signal === 'SIGKILL' ? 137 : 143)
}

function readyUrlOf(child: ChildProcess): Promise<string> {
  return new Promise((resolve) => {
    child.on('message', (message) => {
      const { type, url } = message as Partial<ReadyMessage>
      if (type === 'ready' && url !== undefined) resolve(url)
    })
  })
}

async function stopChild(child: ChildProcess, ended: Promise<number>): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill('SIGTERM')
  const timer = setTimeout(() => child.kill('SIGKILL'), stopMsMax)
  await ended
  clearTimeout(timer)
}

function forwardOutput(child: ChildProcess, { name, logFile }: ChildOptions): void {
  const file = logFile === undefined ? undefined : createWriteStream(logFile, { flags: 'a' })
  for (const stream of [child.stdout, child.stderr]) if (stream !== null) forwardLines(stream, name, file)
  child.on('close', () => file?.end())
}

function forwardLines(stream: Readable, name: string, file: WriteStream | undefined): void {
  createInterface({ input: stream }).on('line', (line) => {
    if (file === undefined) process.stdout.write(`[${name}] ${line}\n`)
    else file.write(`${line}\n`)
  })
}
