import type { QueueState, QueueStats } from '@queue/core'
import { jobFields } from '@queue/core/fields'
import { z } from 'zod'
import { instantOutput } from './values.ts'

/** The parameters of a queue's path. Text that is no name names no queue: 404. */
export const queueNameParameters = z.object({
  name: z.string().meta({ description: 'The name of the queue.', example: 'default' }),
})

const pausedAt = instantOutput.nullable().meta({ description: 'Since when; null while the queue is open.' })

export const queueStateSchema = z
  .object({ name: jobFields.queue, paused_at: pausedAt })
  .meta({ id: 'QueueState', description: 'Whether a queue may be claimed from.' })

/** A queue with what lives in it. */
export const queueSchema = z
  .object({
    name: jobFields.queue,
    paused_at: pausedAt,
    depth: z
      .object({
        queued: z.int().min(0),
        retrying: z.int().min(0),
        running: z.int().min(0),
      })
      .meta({ description: 'Its live jobs by state. Ended jobs are not counted.' }),
    ready: z.int().min(0).meta({
      description: 'Waiting jobs that are due: they wait for a slot, a limit or a worker.',
    }),
    newly_ready: z
      .int()
      .min(0)
      .meta({ description: 'Of these, those that became due within the last five minutes.' }),
    oldest_ready_seconds: z.number().min(0).nullable().meta({
      description: 'Seconds since the oldest waiting job became due; null when none is.',
    }),
    workers: z.int().min(0).meta({ description: 'Live workers that serve the queue.' }),
  })
  .meta({ id: 'Queue', description: 'A queue with what lives in it.' })

export function encodeQueueState({ name, pausedAt: at }: QueueState): z.output<typeof queueStateSchema> {
  return { name, paused_at: at === null ? null : at.toISOString() }
}

export function encodeQueue(stats: QueueStats): z.output<typeof queueSchema> {
  const { queued, retrying, running } = stats
  return {
    ...encodeQueueState(stats),
    depth: { queued, retrying, running },
    ready: stats.ready,
    newly_ready: stats.newlyReady,
    oldest_ready_seconds: stats.oldestReadySeconds,
    workers: stats.workers,
  }
}

/** A queue as the documentation shows one. */
export const queueExample: z.output<typeof queueSchema> = {
  name: 'default',
  paused_at: null,
  depth: { queued: 120, retrying: 3, running: 8 },
  ready: 120,
  newly_ready: 120,
  oldest_ready_seconds: 0.42,
  workers: 2,
}
