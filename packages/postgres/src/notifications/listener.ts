import { randomUUID } from 'node:crypto'
import { type Alarm, createAlarm, type Logger } from '@queue/loop'
import pg from 'pg'
import { closeGracefully } from '../connections/connections.ts'
import { MultiHostClient } from '../connections/multi-host-client.ts'
import { queryWithin } from '../connections/timed-query.ts'
import type { Session } from '../statements/session.ts'
import { notify } from './notify.ts'

export type ListenerHealth = 'healthy' | 'unhealthy'

export interface ListenerOptions {
  /** Sends the pings. */
  readonly database: Session
  readonly channel: string
  readonly connection: pg.PoolConfig
  readonly logger: Logger
  /**
   * Called when the health changes. A listener is healthy once it has received its own ping; a successful LISTEN is not enough.
   */
  readonly onHealth: (health: ListenerHealth) => void
  /** Called with the payload of each notification that is not a ping. */
  readonly onNotification: (payload: string) => void
  /** Called when notifications may have been missed. */
  readonly onGap: () => void
  /**
   * How often the connection must receive its own ping, first right after connecting, because a dead connection gives no other
   * sign. Default 15 000.
   */
  readonly pingEveryMs?: number
  /** How long a ping may take before the connection counts as dead; default 5 000. */
  readonly pingTimeoutMs?: number
  /** How long the answer to LISTEN may take; default 5 000. */
  readonly listenTimeoutMs?: number
}

/** Listens for notifications on one connection. Its owner keeps polling, so a lost connection only costs time. */
export interface Listener {
  start(): void
  stop(): Promise<void>
}

/** The prefix of every ping's payload: all listeners on a channel receive each other's pings. */
const pingPrefix = 'p:'
const pingEveryMsDefault = 15_000
const pingTimeoutMsDefault = 5_000
const reconnectMsMin = 200
const reconnectMsMax = 10_000
const connectTimeoutMsDefault = 5_000
const listenTimeoutMsDefault = 5_000

export function createListener(options: ListenerOptions): Listener {
  const alarm = createAlarm()
  const stopping = new AbortController()
  const { signal } = stopping
  let running: Promise<void> = Promise.resolve()

  const onHealth = onChange(options.onHealth)

  const run = async (): Promise<void> => {
    let waitMs = reconnectMsMin
    while (!signal.aborted) {
      const result = await listenUntilBroken({ ...options, onHealth }, alarm, signal)
      onHealth('unhealthy')
      if (signal.aborted) return
      options.logger.warn('no notifications arrive: polling until they do', { error: result.error })
      waitMs = result.healthy ? reconnectMsMin : Math.min(waitMs * 2, reconnectMsMax)
      await alarm.wait(waitMs)
    }
  }

  return {
    start: () => {
      running = run()
    },
    stop: async () => {
      stopping.abort(new Error('the listener was stopped'))
      alarm.ring()
      await running
    },
  }
}

/** Calls `callback` for the first value, and for each value that differs from the previous one. */
function onChange<Value>(callback: (value: Value) => void): (value: Value) => void {
  let last: Value | undefined
  return (value) => {
    if (value === last) return
    last = value
    callback(value)
  }
}

const pingLost = 'the listening connection no longer receives its own ping'
const pingNeverReceived =
  'the listening connection does not receive its own ping. A pooler in transaction mode delivers no notifications: ' +
  'turn them off (DATABASE_POOLER=transaction, or notifications: false), or connect directly to the server'

interface ListenResult {
  /** Whether it ever received its own ping. */
  readonly healthy: boolean
  readonly error: unknown
}

/** Runs one connection until it breaks, misses a ping, or the listener stops. Never throws. */
async function listenUntilBroken(
  options: ListenerOptions,
  alarm: Alarm,
  signal: AbortSignal,
): Promise<ListenResult> {
  const listening = openListeningConnection(options, alarm)
  let healthy = false
  try {
    await unlessAborted(listening.listen(), signal)
    // Notifications may have been missed while no connection listened.
    options.onGap()
    for (;;) {
      if (!(await listening.receivesOwnPing(signal))) throw new Error(healthy ? pingLost : pingNeverReceived)
      healthy = true
      options.onHealth('healthy')
      await listening.waitForNextPing(signal)
    }
  } catch (error) {
    return { healthy, error }
  } finally {
    // The next connection is opened after this session has ended. A stop does not wait for that.
    const ended = closeGracefully(listening.client)
    if (!signal.aborted) await ended
  }
}

/** A connection for notifications. */
interface ListeningConnection {
  readonly client: pg.Client
  /** Connects and listens, each within its timeout. */
  listen(): Promise<void>
  /** Sends a ping. Resolves with whether it arrives in time. Throws if the connection breaks or `signal` aborts. */
  receivesOwnPing(signal: AbortSignal): Promise<boolean>
  /** Waits until the next ping is due. Throws if the connection breaks or `signal` aborts. */
  waitForNextPing(signal: AbortSignal): Promise<void>
}

function openListeningConnection(options: ListenerOptions, alarm: Alarm): ListeningConnection {
  const { database, channel, connection } = options
  const { pingEveryMs = pingEveryMsDefault, pingTimeoutMs = pingTimeoutMsDefault } = options
  const { listenTimeoutMs = listenTimeoutMsDefault } = options
  const Client = (connection.Client ?? MultiHostClient) as typeof pg.Client
  const client = new Client({
    keepAlive: true,
    ...connection,
    application_name: 'queue-listener',
    connectionTimeoutMillis: connection.connectionTimeoutMillis || connectTimeoutMsDefault,
  })
  let fault: Error | undefined
  let lastPing = ''
  client.on('error', (error) => {
    fault ??= error
    alarm.ring()
  })
  client.on('notification', ({ payload }) => {
    const text = payload ?? ''
    if (!text.startsWith(pingPrefix)) options.onNotification(text)
    else {
      lastPing = text
      alarm.ring()
    }
  })
  // A ring may be left over from an earlier event, so the condition is checked after each.
  const waitUntil = async (atMs: number, isOver: () => boolean, signal: AbortSignal): Promise<void> => {
    const ends = (): boolean => isOver() || fault !== undefined || signal.aborted
    while (!ends() && performance.now() < atMs) await alarm.wait(Math.max(1, atMs - performance.now()))
    signal.throwIfAborted()
    if (fault !== undefined) throw fault
  }
  return {
    client,
    listen: async () => {
      await client.connect()
      const settingUp = Promise.resolve(connection.onConnect?.(client))
      await unlessAborted(settingUp, AbortSignal.timeout(listenTimeoutMs))
      // The session only listens, so a server that ends idle sessions would end it again and again.
      const text = `LISTEN ${pg.escapeIdentifier(channel)}; SET idle_session_timeout = 0`
      await queryWithin(client, { text }, listenTimeoutMs)
    },
    receivesOwnPing: async (signal) => {
      const ping = pingPrefix + randomUUID()
      await unlessAborted(notify(database, { channel, payloads: [ping] }), signal)
      await waitUntil(performance.now() + pingTimeoutMs, () => lastPing === ping, signal)
      return lastPing === ping
    },
    waitForNextPing: (signal) => waitUntil(performance.now() + pingEveryMs, () => false, signal),
  }
}

/** Settles as the promise does, or rejects when `signal` aborts. After an abort the outcome of the promise is ignored. */
async function unlessAborted<Value>(promise: Promise<Value>, signal: AbortSignal): Promise<Value> {
  const aborted = Promise.withResolvers<never>()
  const onAbort = (): void => aborted.reject(signal.reason)
  signal.addEventListener('abort', onAbort)
  if (signal.aborted) onAbort()
  try {
    return await Promise.race([promise, aborted.promise])
  } finally {
    signal.removeEventListener('abort', onAbort)
  }
}
