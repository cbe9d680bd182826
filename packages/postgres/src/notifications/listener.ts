import { randomUUID } from 'node:crypto'
import { type Alarm, createAlarm, type Logger } from '@queue/loop'
import pg from 'pg'
import { hangUp } from '../connections/connections.ts'
import { MultiHostClient } from '../connections/multi-host-client.ts'
import { queryWithin } from '../connections/timed-query.ts'
import type { Session } from '../statements/session.ts'
import { notify } from './notify.ts'

export type ListenerHealth = 'healthy' | 'unhealthy'

export interface ListenerOptions {
  /** Where the channel's own pings are sent from. */
  readonly database: Session
  readonly channel: string
  readonly connection: pg.PoolConfig
  readonly logger: Logger
  /** Called when it changes. Healthy is a listener that has heard its own ping, and not one that has only asked to. */
  readonly onHealth: (health: ListenerHealth) => void
  /** Called with the payload of each notification that is not a ping. */
  readonly onNotification: (payload: string) => void
  /** Called when notifications may have been missed. */
  readonly onGap: () => void
  /**
   * A connection can be dead without a sign of it, so it has to hear itself at once, and then so often; default 15 000.
   */
  readonly pingEveryMs?: number
  /** It is deaf when it has not heard itself for so long; default 5 000. */
  readonly pingTimeoutMs?: number
  /** How long the answer to LISTEN may take, which a network swallows like any other; default 5 000. */
  readonly listenTimeoutMs?: number
}

/** One connection that listens for notifications. Whatever happens to it, its owner polls on. */
export interface Listener {
  start(): void
  stop(): Promise<void>
}

/** Begins the payload of every listener's pings: whoever listens on the same channel hears those of the others too. */
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
      const heard = await listenUntilDeaf({ ...options, onHealth }, alarm, signal)
      onHealth('unhealthy')
      if (signal.aborted) return
      options.logger.warn('notifications are not heard; polling until they are', { error: heard.error })
      waitMs = heard.healthy ? reconnectMsMin : Math.min(waitMs * 2, reconnectMsMax)
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

/** Calls `told` for the first value, and for each that is another than the one before it. */
function onChange<Value>(told: (value: Value) => void): (value: Value) => void {
  let last: Value | undefined
  return (value) => {
    if (value === last) return
    last = value
    told(value)
  }
}

const gone = 'the listening connection does not hear its own ping any more'
const neverHeard =
  'the listening connection does not hear its own ping. Through a pooler in transaction mode none can: ' +
  'switch notifications off (DATABASE_POOLER=transaction, or notifications: false), or go past the pooler'

interface Heard {
  /** Whether it ever heard itself. */
  readonly healthy: boolean
  readonly error: unknown
}

/** One connection, from its start until it breaks, goes deaf, or is no longer wanted. Never throws. */
async function listenUntilDeaf(options: ListenerOptions, alarm: Alarm, signal: AbortSignal): Promise<Heard> {
  const ear = openEar(options, alarm)
  let healthy = false
  try {
    await unlessAborted(ear.listen(), signal)
    // Whatever was announced while nobody listened is looked for now.
    options.onGap()
    for (;;) {
      if (!(await ear.hearsItself(signal))) throw new Error(healthy ? gone : neverHeard)
      healthy = true
      options.onHealth('healthy')
      await ear.rest(signal)
    }
  } catch (error) {
    return { healthy, error }
  } finally {
    // The next connection is made when this one's session is over. At the end nobody waits for that.
    const ended = hangUp(ear.client)
    if (!signal.aborted) await ended
  }
}

/** A connection that listens, once it has been told to. */
interface Ear {
  readonly client: pg.Client
  /** Connects and listens, each within its time. */
  listen(): Promise<void>
  /** Sends a ping, and gives whether it is heard in time. Throws when the connection breaks, and at the abort. */
  hearsItself(signal: AbortSignal): Promise<boolean>
  /** Waits for the time of the next ping. Throws when the connection breaks, and at the abort. */
  rest(signal: AbortSignal): Promise<void>
}

function openEar(options: ListenerOptions, alarm: Alarm): Ear {
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
  let heardPing = ''
  client.on('error', (error) => {
    fault ??= error
    alarm.ring()
  })
  client.on('notification', ({ payload }) => {
    const text = payload ?? ''
    if (!text.startsWith(pingPrefix)) options.onNotification(text)
    else {
      heardPing = text
      alarm.ring()
    }
  })
  // A ring may be left over from something that is already known, so it ends no wait by itself.
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
      await queryWithin(client, { text: `LISTEN ${pg.escapeIdentifier(channel)}` }, listenTimeoutMs)
    },
    hearsItself: async (signal) => {
      const ping = pingPrefix + randomUUID()
      await unlessAborted(notify(database, { channel, payloads: [ping] }), signal)
      await waitUntil(performance.now() + pingTimeoutMs, () => heardPing === ping, signal)
      return heardPing === ping
    },
    rest: (signal) => waitUntil(performance.now() + pingEveryMs, () => false, signal),
  }
}

/** Settles as the promise does, or rejects at the abort: whatever it waits for then goes on without us. */
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
