import { jsonTextArray, plainArray } from '@queue/postgres'
import { priorityMax, priorityMin } from '../domain/limits.ts'

const priorities = priorityMax - priorityMin + 1

/** Two arrays, as the text that PostgreSQL reads, with an element for each slot that is scanned, in the order of the scan. */
export interface SlotTexts {
  readonly priorities: string
  readonly queues: string
}

/**
 * The places that the claims of one worker scan: a slot for each pair of priority and queue, numbered from 0, the lowest
 * priority number first and the queues of one priority in their order.
 */
export class ClaimSlots {
  /** Each once. */
  readonly queues: readonly string[]
  /** The queues as the text of an array. */
  readonly queuesText: string
  /** Every slot, in the order of the numbers. */
  readonly all: readonly number[]
  readonly #places: ReadonlyMap<string, number>
  /** Most claims scan in the order of the numbers, so what PostgreSQL reads of it is made once. */
  readonly #textsOfAll: SlotTexts

  constructor(queues: readonly string[]) {
    this.queues = [...new Set(queues)]
    this.queuesText = jsonTextArray(this.queues)
    this.#places = new Map(this.queues.map((queue, place) => [queue, place]))
    this.all = Array.from({ length: priorities * this.queues.length }, (_, slot) => slot)
    this.#textsOfAll = this.#write(this.all)
  }

  /** The slot of a job that was claimed from one of these queues. */
  slotOf(job: { readonly priority: number; readonly queue: string }): number {
    const place = this.#places.get(job.queue)
    if (place === undefined) throw new Error(`the queue ${job.queue} is none of those that are claimed from`)
    return (job.priority - priorityMin) * this.queues.length + place
  }

  /** The slots of a queue; none for one that is not among them. */
  slotsOf(queue: string): number[] {
    const place = this.#places.get(queue)
    return place === undefined ? [] : this.all.filter((slot) => slot % this.queues.length === place)
  }

  queueOf(slot: number): string {
    return this.queues[slot % this.queues.length] as string
  }

  /** What PostgreSQL reads of these slots. */
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
