import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { setTimeout as delay } from 'node:timers/promises'
import { processExists, processRuns } from './running-process.ts'
import { serverFiles } from './server-files.ts'

/** Who has a server's folder, as its file `owner.json` says. */
interface Owner {
  /** Process ids mean something on one host only, and containers may share a temporary directory. */
  readonly host: string
  readonly starter: number
  /** Absent until the supervisor runs; from then on it alone holds the folder. */
  readonly supervisor?: number
}

/** What is known about a folder: free or left behind, in use, or another host's, of which nothing is known. */
export type Possession = 'free' | 'in use' | 'elsewhere'

/**
 * Takes `directory` for this process. A server that was left behind in it, because its supervisor was killed,
 * is stopped first. Throws when it is in use.
 */
export async function takeDirectory(directory: string): Promise<void> {
  if (possessionOf(directory) !== 'free') throw new Error(inUseMessage(directory))
  await stopOrphan(directory)
  rmSync(serverFiles(directory).ownerFile, { force: true })
  writeOwner(directory, 'wx', { host: hostname(), starter: process.pid })
}

/** Hands `directory` from the starter to its supervisor, which then holds it for as long as it lives. */
export function giveDirectory(directory: string, supervisor: number): void {
  writeOwner(directory, 'w', { host: hostname(), starter: process.pid, supervisor })
}

/** Leaves `directory`, with its data, to whoever comes next. */
export function leaveDirectory(directory: string): void {
  rmSync(serverFiles(directory).ownerFile, { force: true })
}

/** Who has `directory` now. */
export function possessionOf(directory: string): Possession {
  const owner = readOwner(directory)
  if (owner === undefined) return 'free'
  if (owner.host !== hostname()) return 'elsewhere'
  const held =
    owner.supervisor === undefined ? processExists(owner.starter) : processRuns(owner.supervisor, directory)
  return held ? 'in use' : 'free'
}

/** Ends a server whose supervisor is gone, and waits until it no longer runs. */
export async function stopOrphan(directory: string): Promise<void> {
  const { dataDirectory } = serverFiles(directory)
  const pid = postmasterOf(dataDirectory)
  if (pid === undefined || !processRuns(pid, dataDirectory)) return
  for (const [signal, waitMs] of [
    ['SIGINT', 10_000],
    ['SIGQUIT', 5_000],
    ['SIGKILL', 5_000],
  ] as const) {
    process.kill(pid, signal)
    const deadline = performance.now() + waitMs
    while (performance.now() < deadline) {
      if (!processRuns(pid, dataDirectory)) return
      await delay(20)
    }
  }
}

function inUseMessage(directory: string): string {
  const owner = readOwner(directory)
  const { ownerFile } = serverFiles(directory)
  return (
    `The data in ${directory} is in use by process ${owner?.supervisor ?? owner?.starter} on ${owner?.host}. ` +
    `Stop that one first, or use another directory. (If ${owner?.host} is no more, delete ${ownerFile}.)`
  )
}

function postmasterOf(dataDirectory: string): number | undefined {
  try {
    const pid = Number(readFileSync(`${dataDirectory}/postmaster.pid`, 'utf8').split('\n')[0])
    return Number.isInteger(pid) && pid > 1 ? pid : undefined
  } catch {
    return undefined
  }
}

function readOwner(directory: string): Owner | undefined {
  try {
    return JSON.parse(readFileSync(serverFiles(directory).ownerFile, 'utf8')) as Owner
  } catch {
    return undefined
  }
}

function writeOwner(directory: string, flag: 'w' | 'wx', owner: Owner): void {
  writeFileSync(serverFiles(directory).ownerFile, JSON.stringify(owner), { flag })
}
