import { createAlarm } from '@queue/loop'
import type { ClaimedMessage } from '../domain/message.ts'
import type { Claimer } from './claimer.ts'
import { leaseMsOf, type OutboxWorkerConfig, roundsOf } from './config.ts'

/** What became of a dispatch, as far as the next claim is concerned. */
export type DispatchEnd = 'answered' | 'unavailable'

export interface RelayOptions {
  readonly config: OutboxWorkerConfig
  readonly claimer: Claimer
  /** Any clock that never steps, in milliseconds. */
  readonly nowMs: () => number
  /** Dispatches a message and records how it ended. Never rejects. */
  readonly run: (message: ClaimedMessage) => Promise<DispatchEnd>
  /** Gives messages back that will not be begun here, to be due again after `waitMs`. */
  readonly returnUnstarted: (messages: readonly ClaimedMessage[], waitMs: number) => void
}

/** The loop of a relay: a claim for free slots, their dispatches, and the next claim. */
export interface Relay {
  start(): void
  /** Claims at once if there is room, instead of at the end of the poll interval. */
  wake(): void
  /** Messages that are being dispatched. */
  readonly running: number
  /** Resolves when the ends of all messages that are being dispatched now are recorded. */
  idle(): Promise<void>
  /** Ends the claims. Resolves when the last one has been answered, and what was not begun has been returned. */
  stop(): Promise<void>
}

interface Waiting {
  readonly message: ClaimedMessage
  /** By `nowMs`: past it the lease could end during the dispatch. */
  readonly beginByMs: number
}

/** While the target is unavailable, one message asks for it after a wait that doubles from the first to the second. */
const unavailableWaitMsMin = 100
const unavailableWaitMsMax = 5_000

export function createRelay({ config, claimer, nowMs, run, returnUnstarted }: RelayOptions): Relay {
  const news = createAlarm()
  const room = createAlarm()
  const pace = createAlarm()
  let waiting: Waiting[] = []
  let stopped = false
  // How often in a row the target was unavailable, as far as claims are concerned; 0 while it answers.
  let outages = 0
  let loop: Promise<void> = Promise.resolve()
  const runs = new Set<Promise<void>>()

  const outageWaitMs = (): number =>
    Math.min(unavailableWaitMsMax, unavailableWaitMsMin * 2 ** Math.min(outages, 10))

  const returnWaiting = (waitMs: number): void => {
    const messages = waiting.map(({ message }) => message)
    waiting = []
    if (messages.length > 0) returnUnstarted(messages, waitMs)
  }

  const end = (how: DispatchEnd): void => {
    if (how === 'unavailable') {
      // Dispatches that fail side by side are one outage.
      if (outages === 0 || runs.size === 0) outages += 1
      returnWaiting(outageWaitMs())
    } else if (outages > 0) {
      outages = 0
      // The target is back: nobody waits for it any longer.
      pace.ring()
    }
    fill()
    room.ring()
  }

  const begin = (message: ClaimedMessage): void => {
    const ran = run(message).then((how) => {
      runs.delete(ran)
      // The next message of its key could not be claimed until now.
      if (message.key !== null) news.ring()
      end(how)
    })
    runs.add(ran)
  }

  const fill = (): void => {
    const late = waiting.filter(({ beginByMs }) => nowMs() > beginByMs)
    if (late.length > 0) {
      waiting = waiting.filter((one) => !late.includes(one))
      returnUnstarted(
        late.map(({ message }) => message),
        0,
      )
    }
    if (stopped) return
    const slots = outages > 0 ? 1 : config.concurrency
    for (const { message } of waiting.splice(0, Math.max(0, slots - runs.size))) begin(message)
  }

  /** So many that each slot which is free now has its share of a batch, which is what the lease is made for. */
  const limit = (): number => {
    if (outages > 0) return runs.size > 0 ? 0 : 1
    return Math.min(config.batchSize, (config.concurrency - runs.size) * roundsOf(config))
  }

  const claim = async (count: number): Promise<number> => {
    const beginByMs = nowMs() + leaseMsOf(config) - config.dispatchTimeout
    const messages = (await claimer.claim(count)) ?? []
    waiting.push(...messages.map((message) => ({ message, beginByMs })))
    if (stopped) returnWaiting(0)
    fill()
    return messages.length
  }

  const cycle = async (): Promise<void> => {
    const count = waiting.length > 0 ? 0 : limit()
    if (count <= 0) return room.wait(config.pollInterval)
    const claimed = await claim(count)
    if (stopped) return
    if (outages > 0) await pace.wait(outageWaitMs())
    else if (claimed === 0) await news.wait(config.pollInterval)
    else if (config.minCycleDelay > 0) await pace.wait(config.minCycleDelay)
  }

  const ring = (): void => {
    for (const alarm of [news, room, pace]) alarm.ring()
  }

  return {
    start: () => {
      loop = (async () => {
        while (!stopped) await cycle()
      })()
    },
    wake: () => news.ring(),
    get running() {
      return runs.size
    },
    idle: async () => {
      await Promise.all(runs)
    },
    stop: async () => {
      stopped = true
      returnWaiting(0)
      ring()
      await loop
    },
  }
}
