import { randomUUID } from 'node:crypto'
import { MultiHostClient } from '@queue/core/connection'
import { decodeHint, type Hint, notifyChannelApart, type Session } from '@queue/core/runtime'
import pg from 'pg'
import { createAlarm } from './alarm.ts'
import type { Logger } from './logger.ts'

export type ListenerHealth = 'healthy' | 'unhealthy'

export interface ListenerOptions {
  /** Where the channel's own pings are sent from. */
  readonly database: Session
  readonly channel: string
  readonly connection: pg.ClientConfig
  readonly logger: Logger
  readonly onHealth: (health: ListenerHealth) => void
  readonly onHint: (hint: Hint) => void
  /** Called when hints may have been missed. */
  readonly onGap: () => void
  /** A connection can be dead without a sign of it, so it is asked to hear itself so often; default 15 000. */
  readonly pingEveryMs?: number
  /** It is deaf when it has not heard itself for so long; default 5 000. */
  readonly pingTimeoutMs?: number
}

/** One connection that listens for hints. Whatever happens to it, its owner polls on. */
export interface Listener {
  start(): void
  stop(): Promise<void>
}

const pingEveryMsDefault = 15_000
const pingTimeoutMsDefault = 5_000
const reconnectMsMin = 200
const reconnectMsMax = 10_000
const connectTimeoutMs = 5_000

export function createListener(options: ListenerOptions): Listener {
  const alarm = createAlarm()
  let stopped = false
  let running: Promise<void> = Promise.resolve()

  const run = async (): Promise<void> => {
    let waitMs = reconnectMsMin
    while (!stopped) {
      const heard = await listenUntilDeaf(options, alarm, () => stopped)
      options.onHealth('unhealthy')
      if (stopped) return
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
      stopped = true
      alarm.ring()
      await running
    },
  }
}

interface Heard {
  /** Whether it ever listened. */
  readonly healthy: boolean
  readonly error: unknown
}

/** One connection, from its start until it breaks, goes deaf, or is no longer wanted. Never throws. */
async function listenUntilDeaf(
  options: ListenerOptions,
  alarm: ReturnType<typeof createAlarm>,
  isStopped: () => boolean,
): Promise<Heard> {
  const { database, channel, onHealth } = options
  const { pingEveryMs = pingEveryMsDefault, pingTimeoutMs = pingTimeoutMsDefault } = options
  const client = new MultiHostClient({
    ...options.connection,
    application_name: 'queue-listener',
    keepAlive: true,
    connectionTimeoutMillis: connectTimeoutMs,
  })
  let fault: unknown
  let heardNonce = ''
  client.on('error', (error) => {
    fault = error
    alarm.ring()
  })
  client.on('notification', ({ payload }) => {
    const hint = decodeHint(payload ?? '')
    if (hint.type !== 'ping') options.onHint(hint)
    else {
      heardNonce = hint.nonce
      alarm.ring()
    }
  })
  let healthy = false
  // A ring may be left over from something that is already known, so it ends no wait by itself.
  const waitUntil = async (atMs: number, isOver: () => boolean): Promise<void> => {
    while (!isOver() && performance.now() < atMs) await alarm.wait(Math.max(1, atMs - performance.now()))
  }
  try {
    await client.connect()
    await client.query(`LISTEN ${pg.escapeIdentifier(channel)}`)
    onHealth('healthy')
    healthy = true
    // Whatever was announced while nobody listened is looked for now.
    options.onGap()
    while (fault === undefined && !isStopped()) {
      await waitUntil(performance.now() + pingEveryMs, () => fault !== undefined || isStopped())
      if (fault !== undefined || isStopped()) break
      const nonce = randomUUID()
      await notifyChannelApart(database, channel, [{ type: 'ping', nonce }])
      const isOver = (): boolean => heardNonce === nonce || fault !== undefined || isStopped()
      await waitUntil(performance.now() + pingTimeoutMs, isOver)
      if (heardNonce !== nonce && !isStopped())
        throw new Error('the listening connection does not hear its own ping')
    }
    return { healthy, error: fault }
  } catch (error) {
    return { healthy, error }
  } finally {
    // A half-open peer never answers a farewell, so nobody waits for it.
    void client.end().catch(() => undefined)
  }
}
