import { type Alarm, createAlarm } from '@queue/loop'
import type { ClaimedMessage } from '../domain/message.ts'
import type { Claimer } from './claimer.ts'
import { leaseMsOf, type OutboxWorkerConfig, roundsOf } from './config.ts'

/** The end of a dispatch, as far as the next claim is concerned. */
export type DispatchEnd = 'answered' | 'unavailable'

export interface RelayOptions {
  readonly config: OutboxWorkerConfig
  readonly claimer: Claimer
  /** Any clock that never jumps, in milliseconds. */
  readonly nowMs: () => number
  /** Dispatches a message and records the outcome. Never rejects. */
  readonly run: (message: ClaimedMessage) => Promise<DispatchEnd>
  /** Returns messages that will not be dispatched here; they are due again after `waitMs`. */
  readonly returnUnstarted: (messages: readonly ClaimedMessage[], waitMs: number) => void
}

/** The loop of a relay: a claim for free slots, their dispatches, and the next claim. */
export interface Relay {
  start(): void
  /** Makes the next claim follow at once if there is room, without waiting for the poll interval. */
  wake(): void
  /** How many messages are being dispatched. */
  readonly running: number
  /** Resolves when the ends of all messages that are being dispatched now are recorded. */
  idle(): Promise<void>
  /** Stops claiming. Resolves when the last claim has been answered and all undispatched messages have been returned. */
  stop(): Promise<void>
}

interface Waiting {
  readonly message: ClaimedMessage
  /** The latest start, by `nowMs`. After it, the lease could end during the dispatch. */
  readonly beginByMs: number
}

/** While the target is unavailable, one message at a time tries it, after a wait that doubles from the minimum to the maximum. */
const unavailableWaitMsMin = 100
const unavailableWaitMsMax = 5_000

export function createRelay(options: RelayOptions): Relay {
  return new RelayLoop(options)
}

/**
 * The state of the loop: messages that wait for a slot, running dispatches, and whether the target answers. Each of the three
 * alarms ends one wait of the loop.
 */
class RelayLoop implements Relay {
  readonly #options: RelayOptions
  /** Rings when there may be new messages to claim. */
  readonly #newMessages: Alarm = createAlarm()
  /** Rings when a slot may be free. */
  readonly #room: Alarm = createAlarm()
  /** Rings when the target answers again. */
  readonly #targetBack: Alarm = createAlarm()
  readonly #runs = new Set<Promise<void>>()
  #waiting: Waiting[] = []
  #stopped = false
  /** How often in a row the target was unavailable; dispatches that fail at the same time count once. 0 while it answers. */
  #outages = 0
  #loop: Promise<void> = Promise.resolve()

  constructor(options: RelayOptions) {
    this.#options = options
  }

  get running(): number {
    return this.#runs.size
  }

  start(): void {
    this.#loop = this.#cycleUntilStopped()
  }

  wake(): void {
    this.#newMessages.ring()
  }

  async idle(): Promise<void> {
    await Promise.all(this.#runs)
  }

  async stop(): Promise<void> {
    this.#stopped = true
    this.#returnWaiting(0)
    for (const alarm of [this.#newMessages, this.#room, this.#targetBack]) alarm.ring()
    await this.#loop
  }

  async #cycleUntilStopped(): Promise<void> {
    while (!this.#stopped) await this.#cycle()
  }

  async #cycle(): Promise<void> {
    const { config } = this.#options
    const count = this.#waiting.length > 0 ? 0 : this.#claimLimit()
    if (count <= 0) return this.#room.wait(config.pollInterval)
    const claimed = await this.#claim(count)
    if (this.#stopped) return
    if (this.#outages > 0) await this.#targetBack.wait(this.#outageWaitMs())
    else if (claimed === 0) await this.#newMessages.wait(config.pollInterval)
    else if (config.minCycleDelay > 0) await this.#targetBack.wait(config.minCycleDelay)
  }

  /** The number of messages to claim: each free slot gets its share of a batch, because the lease is sized for that. */
  #claimLimit(): number {
    const { config } = this.#options
    if (this.#outages > 0) return this.#runs.size > 0 ? 0 : 1
    return Math.min(config.batchSize, (config.concurrency - this.#runs.size) * roundsOf(config))
  }

  async #claim(count: number): Promise<number> {
    const { config, claimer, nowMs } = this.#options
    const beginByMs = nowMs() + leaseMsOf(config) - config.dispatchTimeout
    const messages = (await claimer.claim(count)) ?? []
    this.#waiting.push(...messages.map((message) => ({ message, beginByMs })))
    if (this.#stopped) this.#returnWaiting(0)
    this.#fillSlots()
    return messages.length
  }

  #fillSlots(): void {
    this.#returnLate()
    if (this.#stopped) return
    const slots = this.#outages > 0 ? 1 : this.#options.config.concurrency
    const free = Math.max(0, slots - this.#runs.size)
    for (const { message } of this.#waiting.splice(0, free)) this.#begin(message)
  }

  #returnLate(): void {
    const { nowMs, returnUnstarted } = this.#options
    const late = this.#waiting.filter(({ beginByMs }) => nowMs() > beginByMs)
    if (late.length === 0) return
    this.#waiting = this.#waiting.filter((waiting) => !late.includes(waiting))
    returnUnstarted(
      late.map(({ message }) => message),
      0,
    )
  }

  #returnWaiting(waitMs: number): void {
    const messages = this.#waiting.map(({ message }) => message)
    this.#waiting = []
    if (messages.length > 0) this.#options.returnUnstarted(messages, waitMs)
  }

  #begin(message: ClaimedMessage): void {
    const run = this.#options.run(message).then((end) => {
      this.#runs.delete(run)
      // The next message of its key could not be claimed until now.
      if (message.key !== null) this.#newMessages.ring()
      this.#end(end)
    })
    this.#runs.add(run)
  }

  #end(end: DispatchEnd): void {
    if (end === 'unavailable') this.#countOutage()
    else if (this.#outages > 0) {
      this.#outages = 0
      // The target is back, so the wait for it ends.
      this.#targetBack.ring()
    }
    this.#fillSlots()
    this.#room.ring()
  }

  #countOutage(): void {
    // Dispatches that fail at the same time count as one outage.
    if (this.#outages === 0 || this.#runs.size === 0) this.#outages += 1
    this.#returnWaiting(this.#outageWaitMs())
  }

  #outageWaitMs(): number {
    return Math.min(unavailableWaitMsMax, unavailableWaitMsMin * 2 ** Math.min(this.#outages, 10))
  }
}
