import { isTerminal } from '@queue/core'
import { z } from 'zod'
import { databaseProblems, defineOperation } from '../http/operation.ts'
import { jobMasker } from '../kinds/job-view.ts'
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
    'Server-sent events. The first one has the present state. `state` follows a change of status, attempts or ' +
    'cancel_requested, `progress` a change of progress or progress_message alone, and `gone` the removal of the job. ' +
    'The data is JSON with id, status, attempts, max_attempts, cancel_requested, progress, progress_message and ' +
    'updated_at. Short-lived states may be left out, the last one never. The stream ends with the job. A client that ' +
    'then reconnects with `Last-Event-ID` is answered 204, which stops an EventSource.',
  params: jobIdParameters,
  headers: z.object({
    'last-event-id': z.string().optional().meta({
      description: 'The id of the last event that was read; an EventSource sends it when it reconnects.',
    }),
  }),
  successes: [
    { status: 200, description: 'The events.', content: { mediaType: 'text/event-stream' } },
    { status: 204, description: 'The job has ended, and Last-Event-ID is that of its last event.' },
  ],
  problems: ['job_not_found', 'overloaded', 'too_many_streams', ...databaseProblems],
  async handle({ params, headers, context }, services) {
    const { queue, eventStreams, budgets } = services
    const [state] = await queue.states([params.id])
    if (state === undefined) throw jobNotFound()
    if (headers['last-event-id'] === endEventId && isTerminal(state.status)) return { status: 204 }
    const masker = await jobMasker(params.id, { context, services })
    budgets.streams.take(context, 1)
    return { delegate: (req, res) => eventStreams.open({ req, res }, { first: state, masker }) }
  },
})
