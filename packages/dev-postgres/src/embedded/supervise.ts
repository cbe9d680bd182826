import { type ChildProcess, spawn } from 'node:child_process'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import type { StartServer } from './supervisor-message.ts'

/** The starter's end of a supervisor. */
export interface Supervisor {
  readonly pid: number
  /** Settles when the supervisor has ended, and with it the server. */
  readonly ended: Promise<void>
  hasEnded(): boolean
  /** Stops the server, however busy, and waits until it and the supervisor are gone. */
  stop(): Promise<void>
}

/** Starts a supervisor on `order`. `directory` shows in its command line, by which the sweep recognises it. */
export async function supervise(directory: string, order: StartServer): Promise<Supervisor> {
  const ending = import.meta.url.endsWith('.ts') ? 'ts' : 'js'
  const program = fileURLToPath(new URL(`./supervisor.${ending}`, import.meta.url))
  const child = spawn(process.execPath, [program, directory], {
    detached: true,
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    cwd: path.dirname(directory),
    env: order.env,
  })
  const pid = await started(child)
  let gone = false
  const ended = new Promise<void>((resolve) => {
    child.once('exit', () => {
      gone = true
      resolve()
    })
  })
  await new Promise<void>((resolve, reject) => {
    child.send(order, (error) => (error === null ? resolve() : reject(error)))
  })
  // A server in the background is no reason for the starter to stay alive.
  child.unref()
  child.channel?.unref()
  const stop = async (): Promise<void> => {
    if (gone) return
    child.ref()
    if (child.connected) child.disconnect()
    await ended
  }
  return { pid, ended, hasEnded: () => gone, stop }
}

async function started(child: ChildProcess): Promise<number> {
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('spawn', () => {
      child.removeListener('error', reject)
      resolve(child.pid as number)
    })
  })
}
