import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

/** Everything that our commands leave on disk. */
export const dataDirectory = fileURLToPath(new URL('../../.data', import.meta.url))
const pidFile = path.join(dataDirectory, 'stack.json')

export interface RunningStack {
  /** The process that holds the stack: a SIGTERM to it stops all. */
  readonly pid: number
  readonly apiUrl: string
}

/** The stack that was started here and still runs; undefined when there is none. */
export async function findRunningStack(): Promise<RunningStack | undefined> {
  const text = await readFile(pidFile, 'utf8').catch(() => undefined)
  if (text === undefined) return undefined
  const stack = JSON.parse(text) as RunningStack
  return isAlive(stack.pid) ? stack : undefined
}

export async function noteRunningStack(stack: RunningStack): Promise<void> {
  await mkdir(dataDirectory, { recursive: true })
  await writeFile(pidFile, `${JSON.stringify(stack)}\n`)
}

export async function forgetRunningStack(): Promise<void> {
  await rm(pidFile, { force: true })
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}
