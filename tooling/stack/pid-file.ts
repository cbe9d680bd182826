import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

/** The folder for all files that the development commands leave. */
export const dataDirectory = fileURLToPath(new URL('../../.data', import.meta.url))
const pidFile = path.join(dataDirectory, 'stack.json')

export interface RunningStack {
  /** The process that runs the stack. A SIGTERM to it stops everything. */
  readonly pid: number
  readonly apiUrl: string
}

/** The running stack of this checkout; undefined if there is none. */
export async function findRunningStack(): Promise<RunningStack | undefined> {
  const text = await readFile(pidFile, 'utf8').catch(() => undefined)
  if (text === undefined) return undefined
  const stack = JSON.parse(text) as RunningStack
  return isAlive(stack.pid) ? stack : undefined
}

export async function writeRunningStack(stack: RunningStack): Promise<void> {
  await mkdir(dataDirectory, { recursive: true })
  await writeFile(pidFile, `${JSON.stringify(stack)}\n`)
}

export async function removeRunningStack(): Promise<void> {
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
