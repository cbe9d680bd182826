import { type ChildProcess, spawn } from 'node:child_process'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

/** Controls the supervisor process of a server. */
export interface Supervisor {
  readonly pid: number
  /** Resolves when the supervisor and its server have ended. */
  readonly ended: Promise<void>
  hasEnded(): boolean
  /** Stops the server, even a busy one, and waits until it and the supervisor have ended. */
  stop(): Promise<void>
}

/** Starts a supervisor that runs `command`. Its command line has `directory`, by which the sweep recognizes it. */
export async function supervise(directory: string, command: StartServer): Promise<Supervisor> {
  const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js'
  const program = fileURLToPath(new URL(`./supervisor.${extension}`, import.meta.url))
  const child = spawn(process.execPath, [program, directory], {
    detached: true,
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    cwd: path.dirname(directory),
    env: command.env,
  })
  const pid = await pidWhenSpawned(child)
  let hasEnded = false
  const ended = new Promise<void>((resolve) => {
    child.once('exit', () => {
      hasEnded = true
      resolve()
    })
  })
  await new Promise<void>((resolve, reject) => {
    child.send(command, (error) => (error === null ? resolve() : reject(error)))
  })
  // The server in the background must not keep the starter alive.
  child.unref()
  child.channel?.unref()
  const stop = async (): Promise<void> => {
    if (hasEnded) return
    child.ref()
    if (child.connected) child.disconnect()
    await ended
  }
  return { pid, ended, hasEnded: () => hasEnded, stop }
}

async function pidWhenSpawned(child: ChildProcess): Promise<number> {
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('spawn', () => {
      child.removeListener('error', reject)
      resolve(child.pid as number)
    })
  })
}

/** The command that a supervisor receives once, right after its start: the server to run. */
export interface StartServer {
  readonly postgres: string
  readonly args: readonly string[]
  readonly env: NodeJS.ProcessEnv
  readonly identity: { readonly uid?: number; readonly gid?: number }
  readonly logFile: string
  /** The files and folders to delete when the server was stopped; empty if its data is persistent. */
  readonly removeWhenStopped: readonly string[]
}
