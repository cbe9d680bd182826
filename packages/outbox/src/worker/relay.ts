import { type Alarm, createAlarm } from '@queue/loop'
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
  /** Returns messages that will not be begun here, to be due again after `waitMs`. */
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

export function createRelay(options: RelayOptions): Relay {
  return new RelayLoop(options)
}

/**
 * What changes while it runs: messages that wait for a slot, dispatches under way, and whether the target answers.
 * Each of the three alarms ends one wait of the loop.
 */
class RelayLoop implements Relay {
  readonly #options: RelayOptions
  /** There may be new messages to claim. */
  readonly #news: Alarm = createAlarm()
  /** A slot may be free. */
  readonly #room: Alarm = createAlarm()
  /** The target answers again. */
  readonly #pace: Alarm = createAlarm()
  readonly #runs = new Set<Promise<void>>()
  #waiting: Waiting[] = []
  #stopped = false
  /** How often in a row the target was unavailable, as far as claims are concerned; 0 while it answers. */
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
    this.#news.ring()
  }

  async idle(): Promise<void> {
    await Promise.all(this.#runs)
  }

  async stop(): Promise<void> {
    this.#stopped = true
    this.#returnWaiting(0)
    for (const alarm of [this.#news, this.#room, this.#pace]) alarm.ring()
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
    if (this.#outages > 0) await this.#pace.wait(this.#outageWaitMs())
    else if (claimed === 0) await this.#news.wait(config.pollInterval)
    else if (config.minCycleDelay > 0) await this.#pace.wait(config.minCycleDelay)
  }

  /** So many that each slot which is free now has its share of a batch, which is what the lease is made for. */
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
    this.#waiting = this.#waiting.filter((one) => !late.includes(one))
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
    const ran = this.#options.run(message).then((end) => {
      this.#runs.delete(ran)
      // The next message of its key could not be claimed until now.
      if (message.key !== null) this.#news.ring()
      this.#end(end)
    })
    this.#runs.add(ran)
  }

  #end(end: DispatchEnd): void {
    if (end === 'unavailable') this.#countOutage()
    else if (this.#outages > 0) {
      this.#outages = 0
      // The target is back: nobody waits for it any longer.
      this.#pace.ring()
    }
    this.#fillSlots()
    this.#room.ring()
  }

  #countOutage(): void {
    // Dispatches that fail side by side are one outage.
    if (this.#outages === 0 || this.#runs.size === 0) this.#outages += 1
    this.#returnWaiting(this.#outageWaitMs())
  }

  #outageWaitMs(): number {
    return Math.min(unavailableWaitMsMax, unavailableWaitMsMin * 2 ** Math.min(this.#outages, 10))
  }
}
