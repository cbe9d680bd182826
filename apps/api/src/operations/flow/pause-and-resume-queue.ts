import { actorOf } from '../../http/actor.ts'
import { databaseProblems, defineOperation } from '../../http/operation.ts'
import { encodeQueueState, queueNameParameters, queueStateSchema } from './queue.ts'

export const pauseQueue = defineOperation({
  operationId: 'pauseQueue',
  method: 'post',
  path: '/queues/{name}/pause',
  tag: 'Queues',
  permission: 'queues:control',
  act: 'queue.pause',
  summary: 'Pause a queue',
  description:
    'Pauses a queue. After the response, no worker starts a job of the queue. Running jobs continue, and jobs can ' +
    'still be enqueued. Pausing a paused queue has no effect.',
  params: queueNameParameters,
  successes: [
    {
      status: 200,
      description: 'The queue is paused.',
      content: {
        mediaType: 'application/json',
        schema: queueStateSchema,
        example: { name: 'default', paused_at: '2026-01-15T09:30:00.000Z' },
      },
    },
  ],
  problems: ['queue_not_found', 'refused', ...databaseProblems],
  async handle({ params, context }, { queue }) {
    const state = await queue.actAs(actorOf(context)).pause(params.name)
    return { status: 200, json: encodeQueueState(state) }
  },
})

export const resumeQueue = defineOperation({
  operationId: 'resumeQueue',
  method: 'post',
  path: '/queues/{name}/resume',
  tag: 'Queues',
  permission: 'queues:control',
  act: 'queue.resume',
  summary: 'Resume a queue',
  description:
    'Lets workers start jobs of the queue again. Resuming a queue that is not paused has no effect.',
  params: queueNameParameters,
  successes: [
    {
      status: 200,
      description: 'The queue is not paused.',
      content: {
        mediaType: 'application/json',
        schema: queueStateSchema,
        example: { name: 'default', paused_at: null },
      },
    },
  ],
  problems: ['queue_not_found', 'refused', ...databaseProblems],
  async handle({ params, context }, { queue }) {
    const state = await queue.actAs(actorOf(context)).resume(params.name)
    return { status: 200, json: encodeQueueState(state) }
  },
})
