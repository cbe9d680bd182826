import { defineOperation } from '../http/operation.ts'
import { databaseProblems } from '../http/problems-of.ts'
import { encodeQueueState, queueNameParameters, queueStateSchema } from '../wire/queue.ts'

export const resumeQueue = defineOperation({
  operationId: 'resumeQueue',
  method: 'post',
  path: '/queues/{name}/resume',
  tag: 'Queues',
  access: 'token',
  summary: 'Let a paused queue go on',
  description: 'Resuming an open queue changes nothing.',
  params: queueNameParameters,
  successes: [
    {
      status: 200,
      description: 'The queue is open.',
      content: {
        mediaType: 'application/json',
        schema: queueStateSchema,
        example: { name: 'default', paused_at: null },
      },
    },
  ],
  problems: ['queue_not_found', 'refused', ...databaseProblems],
  async handle({ params, context }, { queue }) {
    const state = await queue.resume(params.name)
    context.control = { queue: state.name }
    return { status: 200, json: encodeQueueState(state) }
  },
})
