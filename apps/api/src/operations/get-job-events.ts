import { isTerminal } from '@queue/core'
import { z } from 'zod'
import { databaseProblems, defineOperation } from '../http/operation.ts'
import { endEventId } from '../watch/event-streams.ts'
import { jobIdParameters } from '../wire/job.ts'
import { jobNotFound } from './get-job.ts'

export const getJobEvents = defineOperation({
  operationId: 'getJobEvents',
  method: 'get',
  path: '/jobs/{id}/events',
  tag: 'Jobs',
  permission: 'jobs:read',
  summary: 'Follow a job',
  description:
    'Server-sent events. The first has the present state; `state` follows when status, attempts or cancel_requested ' +
    'change, `progress` when only progress or progress_message do, `gone` when the job was removed. The data is JSON ' +
    'with id, status, attempts, max_attempts, cancel_requested, progress, progress_message and updated_at. States that ' +
    'a job passes through quickly may be left out, the last one never. The stream ends when the job has ended; a ' +
    'client that reconnects then, with `Last-Event-ID`, is answered 204, which stops an EventSource.',
  params: jobIdParameters,
  headers: z.object({
    'last-event-id': z.string().optional().meta({
      description: 'The id of the last event that was read; an EventSource sends it when it reconnects.',
    }),
  }),
  successes: [
    { status: 200, description: 'The events.', content: { mediaType: 'text/event-stream' } },
    { status: 204, description: 'The job has ended, and the client has been told.' },
  ],
  problems: ['job_not_found', 'overloaded', ...databaseProblems],
  async handle({ params, headers }, { queue, eventStreams }) {
    const [state] = await queue.states([params.id])
    if (state === undefined) throw jobNotFound()
    if (headers['last-event-id'] === endEventId && isTerminal(state.status)) return { status: 204 }
    return { delegate: (req, res) => eventStreams.open({ req, res }, state) }
  },
})
