import type { QueueState, QueueStats } from '@queue/core'
import { instantOutput, jobFields } from '@queue/core/internal'
import { z } from 'zod'

/** The path parameter of a queue. An invalid name is answered with 404, since no queue has it. */
export const queueNameParameters = z.object({
  name: z.string().meta({ description: 'Name of the queue.', example: 'default' }),
})

const pausedAt = instantOutput
  .nullable()
  .meta({ description: 'Time since when the queue is paused. Null if it is not.' })
const queueName = jobFields.queue.meta({ description: 'Name of the queue.' })

export const queueStateSchema = z
  .object({ name: queueName, paused_at: pausedAt })
  .meta({ id: 'QueueState', description: 'Whether a queue is paused.' })

/** A queue with the numbers of its jobs. */
export const queueSchema = z
  .object({
    name: queueName,
    paused_at: pausedAt,
    depth: z
      .object({
        queued: z.int().min(0).meta({ description: 'Number of queued jobs.' }),
        retrying: z.int().min(0).meta({ description: 'Number of jobs that wait for a retry.' }),
        running: z.int().min(0).meta({ description: 'Number of running jobs.' }),
      })
      .meta({ description: 'Number of unfinished jobs by status.' }),
    ready: z.int().min(0).meta({
      description: 'Number of waiting jobs that are due. They wait for a slot, a limit or a worker.',
    }),
    newly_ready: z
      .int()
      .min(0)
      .meta({ description: 'Number of these jobs that became due within the last five minutes.' }),
    oldest_ready_seconds: z.number().min(0).nullable().meta({
      description: 'Seconds since the oldest waiting job became due. Null if none is due.',
    }),
    workers: z.int().min(0).meta({ description: 'Number of live workers that serve the queue.' }),
  })
  .meta({ id: 'Queue', description: 'A queue with the numbers of its jobs and workers.' })

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

/** The example of the documentation. */
export const queueExample: z.output<typeof queueSchema> = {
  name: 'default',
  paused_at: null,
  depth: { queued: 120, retrying: 3, running: 8 },
  ready: 120,
  newly_ready: 120,
  oldest_ready_seconds: 0.42,
  workers: 2,
}
