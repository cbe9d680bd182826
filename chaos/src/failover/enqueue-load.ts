import { setTimeout as wait } from 'node:timers/promises'
import type { Queue } from '@queue/core'
import { chaosJob, type Plan } from '../fleet/chaos-job.ts'
import type { Random } from '../nemesis/random.ts'

/** With each of these plans, the first attempt that completes ends the job. */
const mix: readonly Plan[] = ['succeed', 'succeed', 'transact', 'linger']
const handlerMsMax = 200
const pauseMs = 10
/** How many enqueues run at once, so that some handlers run at any moment. */
const callers = 4
const maxAttempts = 25

export interface AnsweredEnqueue {
  readonly id: string
  readonly sentMs: number
  readonly answeredMs: number
}

/** Callers that enqueue one job after the other until `stop`, whether the enqueues succeed or not. */
export interface EnqueueLoad {
  /** The ids of acknowledged jobs. */
  readonly acknowledged: ReadonlySet<string>
  /** The first answer to an enqueue that was sent after this instant. */
  firstSentAfter(ms: number): AnsweredEnqueue | undefined
  stop(): Promise<void>
}

export function startEnqueues(queue: Queue, random: Random): EnqueueLoad {
  const answers: AnsweredEnqueue[] = []
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
      // A failed enqueue is not acknowledged. Whether it took effect does not matter here.
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
