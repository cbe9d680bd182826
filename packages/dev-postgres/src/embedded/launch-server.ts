import { readFile, rm } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import { freePort } from '../free-port.ts'
import { answersQueries } from '../sessions.ts'
import { passToSupervisor } from './ownership.ts'
import { type StartServer, type Supervisor, supervise } from './supervise.ts'

export interface LaunchServerOptions {
  readonly directory: string
  readonly command: StartServer
  readonly password: string
  /** The port to use; undefined: a free one, and another if that has been taken meanwhile. */
  readonly port: number | undefined
}

export interface LaunchedServer {
  readonly supervisor: Supervisor
  readonly port: number
  readonly url: string
}

const readyWithinMs = 60_000
const portAttempts = 5

/** Starts a supervised server and waits until it answers. If it does not, throws an error with the end of its log. */
export async function launchServer(options: LaunchServerOptions): Promise<LaunchedServer> {
  const { directory, command, password } = options
  for (let attempt = 1; ; attempt++) {
    const port = options.port ?? (await freePort())
    await rm(command.logFile, { force: true })
    const supervisor = await supervise(directory, { ...command, args: [...command.args, `--port=${port}`] })
    passToSupervisor(directory, supervisor.pid)
    const url = `postgres://postgres:${password}@127.0.0.1:${port}/postgres`
    if (await acceptsConnections(url, supervisor)) return { supervisor, port, url }
    const log = await readFile(command.logFile, 'utf8').catch(() => '')
    await supervisor.stop()
    const canTryAnother = options.port === undefined && attempt < portAttempts
    if (!canTryAnother || !log.includes('could not bind')) {
      throw new Error(`PostgreSQL did not start on port ${port}: ${lastLines(log)}`)
    }
  }
}

/** Waits until the server answers a query; false if it ends instead or does not answer within `readyWithinMs`. */
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
