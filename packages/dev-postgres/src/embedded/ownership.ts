import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { setTimeout as delay } from 'node:timers/promises'
import { processExists, processRuns } from './running-process.ts'
import { serverFiles } from './server-files.ts'

/** The owner of a server's folder, as its file `owner.json` records it. */
interface Owner {
  /** Process ids are valid on one host only, and containers may share a temporary directory. */
  readonly host: string
  readonly starter: number
  /** Absent until the supervisor runs; from then on only the supervisor owns the folder. */
  readonly supervisor?: number
}

/** A folder is free (or left by a dead process), in use, or owned by another host, where the process cannot be checked. */
export type OwnershipState = 'free' | 'in use' | 'elsewhere'

/**
 * Makes this process the owner of `directory`. If a server still runs in it because its supervisor was killed, stops that
 * server first. Throws if the directory is in use.
 */
export async function takeDirectory(directory: string): Promise<void> {
  if (ownershipState(directory) !== 'free') throw new Error(inUseMessage(directory))
  await stopOrphanedServer(directory)
  rmSync(serverFiles(directory).ownerFile, { force: true })
  writeOwner(directory, 'wx', { host: hostname(), starter: process.pid })
}

/** Passes the ownership of `directory` from the starter to its supervisor, which keeps it until it ends. */
export function passToSupervisor(directory: string, supervisor: number): void {
  writeOwner(directory, 'w', { host: hostname(), starter: process.pid, supervisor })
}

/** Gives up the ownership of `directory`. Its data stays. */
export function releaseDirectory(directory: string): void {
  rmSync(serverFiles(directory).ownerFile, { force: true })
}

/** Whether `directory` has an owner now. */
export function ownershipState(directory: string): OwnershipState {
  const owner = readOwner(directory)
  if (owner === undefined) return 'free'
  if (owner.host !== hostname()) return 'elsewhere'
  const isInUse =
    owner.supervisor === undefined ? processExists(owner.starter) : processRuns(owner.supervisor, directory)
  return isInUse ? 'in use' : 'free'
}

/** Stops a server whose supervisor has died, and waits until it has ended. */
export async function stopOrphanedServer(directory: string): Promise<void> {
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
    `Stop that process first, or use another directory. (If the host ${owner?.host} no longer exists, delete ${ownerFile}.)`
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
