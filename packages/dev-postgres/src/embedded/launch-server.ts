import { readFile, rm } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import { answersQueries } from '../answers-queries.ts'
import { freePort } from '../free-port.ts'
import { giveDirectory } from './ownership.ts'
import { type Supervisor, supervise } from './supervise.ts'
import type { StartServer } from './supervisor-message.ts'

export interface LaunchServerOptions {
  readonly directory: string
  readonly order: StartServer
  readonly password: string
  /** The port to take; by default a free one, and another should that be gone again. */
  readonly port: number | undefined
}

export interface LaunchedServer {
  readonly supervisor: Supervisor
  readonly port: number
  readonly url: string
}

const readyWithinMs = 60_000
const portAttempts = 5

/** Starts a supervised server and waits until it answers. Throws with the end of its log when it does not. */
export async function launchServer(options: LaunchServerOptions): Promise<LaunchedServer> {
  const { directory, order, password } = options
  for (let attempt = 1; ; attempt++) {
    const port = options.port ?? (await freePort())
    await rm(order.logFile, { force: true })
    const supervisor = await supervise(directory, { ...order, args: [...order.args, `--port=${port}`] })
    giveDirectory(directory, supervisor.pid)
    const url = `postgres://postgres:${password}@127.0.0.1:${port}/postgres`
    if (await acceptsConnections(url, supervisor)) return { supervisor, port, url }
    const log = await readFile(order.logFile, 'utf8').catch(() => '')
    await supervisor.stop()
    const canTryAnother = options.port === undefined && attempt < portAttempts
    if (!canTryAnother || !log.includes('could not bind')) {
      throw new Error(`PostgreSQL did not start on port ${port}: ${lastLines(log)}`)
    }
  }
}

/** Waits until the server answers a query; false when it has ended instead, or takes far too long. */
async function acceptsConnections(url: string, supervisor: Supervisor): Promise<boolean> {
  const deadline = performance.now() + readyWithinMs
  while (!supervisor.hasEnded() && performance.now() < deadline) {
    if (await answersQueries(url)) return true
    await delay(20)
  }
  return false
}

function lastLines(log: string): string {
  return log.trim().split('\n').slice(-10).join('\n')
}
