import { jsonTextArray, plainArray } from '@queue/postgres'
import { priorityMax, priorityMin } from '../domain/limits.ts'

const priorities = priorityMax - priorityMin + 1

/** Two arrays, as the text that PostgreSQL parses, with an element for each scanned slot in the order of the scan. */
export interface SlotTexts {
  readonly priorities: string
  readonly queues: string
}

/**
 * The slots that the claims of one worker scan: one for each pair of priority and queue, numbered from 0. The lowest
 * priority number comes first, and the queues of one priority are in the worker's order.
 */
export class ClaimSlots {
  /** The worker's queues, each once. */
  readonly queues: readonly string[]
  /** The queues, as the text of an array. */
  readonly queuesText: string
  /** Every slot, in the order of the numbers. */
  readonly all: readonly number[]
  readonly #indexOfQueue: ReadonlyMap<string, number>
  /** The texts of all slots, made once, because most claims scan in the order of the numbers. */
  readonly #textsOfAll: SlotTexts

  constructor(queues: readonly string[]) {
    this.queues = [...new Set(queues)]
    this.queuesText = jsonTextArray(this.queues)
    this.#indexOfQueue = new Map(this.queues.map((queue, index) => [queue, index]))
    this.all = Array.from({ length: priorities * this.queues.length }, (_, slot) => slot)
    this.#textsOfAll = this.#write(this.all)
  }

  /** The slot of a job that was claimed from one of these queues. */
  slotOf(job: { readonly priority: number; readonly queue: string }): number {
    const index = this.#indexOfQueue.get(job.queue)
    if (index === undefined)
      throw new Error(`the claim returned a job of ${job.queue}, a queue that it did not scan`)
    return (job.priority - priorityMin) * this.queues.length + index
  }

  /** The slots of a queue; none for a queue that this worker does not serve. */
  slotsOf(queue: string): number[] {
    const index = this.#indexOfQueue.get(queue)
    return index === undefined ? [] : this.all.filter((slot) => slot % this.queues.length === index)
  }

  priorityOf(slot: number): number {
    return priorityMin + Math.floor(slot / this.queues.length)
  }

  queueOf(slot: number): string {
    return this.queues[slot % this.queues.length] as string
  }

  /** The texts of these slots, for PostgreSQL. */
  texts(order: readonly number[]): SlotTexts {
    return order === this.all ? this.#textsOfAll : this.#write(order)
  }

  #write(order: readonly number[]): SlotTexts {
    const count = this.queues.length
    return {
      priorities: plainArray(order.map((slot) => priorityMin + Math.floor(slot / count))),
      queues: jsonTextArray(order.map((slot) => this.queues[slot % count] as string)),
    }
  }
}
