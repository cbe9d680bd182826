import { isTerminal, limits } from '@queue/core'
import { isLogCursor } from '@queue/core/fields'
import { z } from 'zod'
import { databaseProblems, defineOperation } from '../http/operation.ts'
import { jobMasker } from '../kinds/job-view.ts'
import { endEventId } from '../watch/event-streams.ts'
import { createLineReader } from '../watch/line-reader.ts'
import { jobIdParameters } from '../wire/job.ts'
import { logLevelQuery } from '../wire/log-line.ts'
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
    'then reconnects with `Last-Event-ID` is answered 204, which stops an EventSource. With `logs` each line that the ' +
    'handler has logged is a `log` event too, as GET /jobs/{id}/logs shows it: all of them, in order, before the event of ' +
    'the end. A stream that is opened with the id of such an event goes on behind it.',
  params: jobIdParameters,
  query: z.strictObject({
    logs: logLevelQuery('Lines of this level and of those that are more severe; absent: none.'),
  }),
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
  async handle({ params, query: { logs: level }, headers, context }, services) {
    const { queue, eventStreams, budgets } = services
    const [state] = await queue.states([params.id])
    if (state === undefined) throw jobNotFound()
    if (headers['last-event-id'] === endEventId && isTerminal(state.status)) return { status: 204 }
    const masker = await jobMasker(params.id, { context, services })
    budgets.streams.take(context, 1)
    const id = headers['last-event-id']
    const cursor = id !== undefined && isLogCursor(id) ? id : undefined
    const readPage = (after: string | undefined) =>
      queue.logs(params.id, { level, limit: limits.listLimitMax, cursor: after })
    const lines = level && createLineReader(readPage, cursor)
    return { delegate: (req, res) => eventStreams.open({ req, res }, { first: state, masker, lines }) }
  },
})
