import { setTimeout as wait } from 'node:timers/promises'
import type { Queue } from '@queue/core'
import { chaosJob, type Plan } from '../fleet/chaos-job.ts'
import type { Random } from '../nemesis/random.ts'

/** Each plan ends its job with the first attempt that comes to its end. */
const mix: readonly Plan[] = ['succeed', 'succeed', 'transact', 'linger']
const handlerMsMax = 200
const pauseMs = 10
/** So many enqueues are under way at once, so that at any moment some handlers run. */
const callers = 4
const maxAttempts = 25

export interface Answered {
  readonly id: string
  readonly sentMs: number
  readonly answeredMs: number
}

/** Callers that enqueue one job after the other, whatever becomes of it, until they are told to stop. */
export interface EnqueueLoad {
  /** The ids that were answered. */
  readonly acknowledged: ReadonlySet<string>
  /** The first answer to an enqueue that was sent after this instant. */
  firstSentAfter(ms: number): Answered | undefined
  stop(): Promise<void>
}

export function startEnqueues(queue: Queue, random: Random): EnqueueLoad {
  const answers: Answered[] = []
  const acknowledged = new Set<string>()
  let isOver = false
  let number = 0
  const enqueueNext = async (): Promise<void> => {
    number += 1
    const sentMs = performance.now()
    const payload = { key: `k${number}`, plan: random.pick(mix), ms: random.between(0, handlerMsMax) }
    const { job } = await queue.enqueue(chaosJob, payload, { maxAttempts })
    answers.push({ id: job.id, sentMs, answeredMs: performance.now() })
    acknowledged.add(job.id)
  }
  const run = async (): Promise<void> => {
    while (!isOver) {
      // An enqueue that fails has not been acknowledged: whether it took effect does not matter here.
      await enqueueNext().catch(() => undefined)
      await wait(pauseMs)
    }
  }
  const running = Promise.all(Array.from({ length: callers }, run))
  return {
    acknowledged,
    firstSentAfter: (ms) => answers.find(({ sentMs }) => sentMs > ms),
    stop: async () => {
      isOver = true
      await running
    },
  }
}
