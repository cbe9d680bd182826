import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from '@queue/telemetry'
import { type ListenOptions, type ListeningAddress, listenRefusal, urlOf } from './listen.ts'
import { type OpsEndpointsOptions, createOpsEndpoints } from './ops-endpoints.ts'
import { type OpsThread, launchOpsThread } from './ops-thread/launch-ops-thread.ts'

export interface OpsServerOptions extends OpsEndpointsOptions {
  readonly address: ListenOptions
  readonly logger: Logger
  /** Milliseconds that an endpoint waits for the main thread before it answers with 503; default 3 000. */
  readonly patienceMs?: number
}

/** The server of the ops endpoints. */
export interface OpsServer extends ListeningAddress {
  /** Drains: waits for the requests in flight, at most `graceMs` milliseconds. Safe to call twice. */
  close(options: { readonly graceMs: number }): Promise<void>
}

/** Longer than a check of the database may take, so that a database that is down is reported as down. */
const patienceMsDefault = 3_000
const restartMs = 1_000

/**
 * Serves the ops endpoints on a separate port: /livez (the process is alive), /readyz and /health (503 while the database is down
 * or the schema is not compatible), and with a registry /metrics. A thread listens and answers /livez, so that a probe does not
 * kill a process whose main thread is busy or whose other port is full. The main thread answers the other endpoints; if it does
 * not answer in time, they return 503 with the reason. A thread that dies is started again.
 *
 * Resolves once it listens. If it cannot listen, throws a one-line ExitError (1) that names the variable.
 */
export async function startOpsServer(options: OpsServerOptions): Promise<OpsServer> {
  const { host } = options.address
  const first = await launch({ ...options, port: options.address.port })
  const { port } = first
  const closing = new AbortController()
  let running: OpsThread | undefined = first

  const keepRunning = async (): Promise<void> => {
    while (running !== undefined && !closing.signal.aborted) {
      const error = await running.ended
      if (closing.signal.aborted) return
      options.logger.error('the thread that serves health and metrics has ended; starting another', { error })
      running = await relaunch({ ...options, port, closing: closing.signal })
    }
  }
  const restarting = keepRunning()

  return {
    host,
    port,
    url: urlOf({ host, port }),
    close: async ({ graceMs }) => {
      closing.abort()
      await running?.close(graceMs)
      await restarting
    },
  }
}

interface LaunchOptions extends OpsServerOptions {
  readonly port: number
}

async function launch({ address, port, patienceMs, ...sources }: LaunchOptions): Promise<OpsThread> {
  try {
    return await launchOpsThread({
      address: { host: address.host, port },
      patienceMs: patienceMs ?? patienceMsDefault,
      endpoints: createOpsEndpoints(sources),
    })
  } catch (error) {
    throw listenRefusal(address, error)
  }
}

interface RelaunchOptions extends LaunchOptions {
  /** Aborted when the server is closed. */
  readonly closing: AbortSignal
}

/** Starts another thread on the same port. Resolves with undefined if the server is closed before. */
async function relaunch(options: RelaunchOptions): Promise<OpsThread | undefined> {
  for (;;) {
    await sleep(restartMs)
    if (options.closing.aborted) return undefined
    try {
      const thread = await launch(options)
      if (!options.closing.aborted) return thread
      await thread.close(0)
      return undefined
    } catch (error) {
      options.logger.error('health and metrics cannot be served; trying again', { error })
    }
  }
}
