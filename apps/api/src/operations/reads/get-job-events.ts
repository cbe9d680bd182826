import { isTerminal, limits } from '@queue/core'
import { isLogCursor } from '@queue/core/internal'
import { z } from 'zod'
import { databaseProblems, defineOperation } from '../../http/operation.ts'
import { endEventId } from '../../watch/event-streams.ts'
import { createLineReader } from '../../watch/line-reader.ts'
import type { LineReads } from '../../watch/line-reads.ts'
import { logLevelQuery } from '../insight/log-line.ts'
import { jobNotFound } from './get-job.ts'
import { jobIdParameters } from './job.ts'

export const getJobEvents = defineOperation({
  operationId: 'getJobEvents',
  method: 'get',
  path: '/jobs/{id}/events',
  tag: 'Jobs',
  permission: 'jobs:read',
  summary: 'Stream the changes of a job',
  description:
    'Streams server-sent events until the job ends. The first event has the current state. `state` reports a change ' +
    'of status, attempts or cancel_requested; `progress` a change of only progress or progress_message; `gone` that ' +
    'the job was deleted. The data is JSON with id, status, attempts, max_attempts, cancel_requested, progress, ' +
    'progress_message and updated_at. Short-lived states can be skipped, but never the final one. After the end, a ' +
    'client that reconnects with `Last-Event-ID` gets 204, which stops an EventSource. With `logs`, each log line of ' +
    'the job is also sent as a `log` event, with the members of GET /jobs/{id}/logs. All lines arrive in order and ' +
    'before the final state. A stream that is opened with the id of a `log` event continues after that line.',
  params: jobIdParameters,
  query: z.strictObject({
    logs: logLevelQuery('Also stream log lines of this level or higher. By default, no log lines are sent.'),
  }),
  headers: z.object({
    'last-event-id': z.string().optional().meta({
      description:
        'The id of the last event that the client has read. An EventSource sends it when it reconnects.',
    }),
  }),
  successes: [
    { status: 200, description: 'The event stream.', content: { mediaType: 'text/event-stream' } },
    { status: 204, description: 'The job has ended, and the client has already read its last event.' },
  ],
  problems: ['job_not_found', 'overloaded', 'too_many_streams', ...databaseProblems],
  async handle({ params, query: { logs: level }, headers, context }, services) {
    const { queue, eventStreams, lineReads, admission, budgets } = services
    const [state] = await queue.states([params.id])
    if (state === undefined) throw jobNotFound()
    if (headers['last-event-id'] === endEventId && isTerminal(state.status)) return { status: 204 }
    budgets.streams.take(context, 1)
    const lastEventId = headers['last-event-id']
    const cursor = lastEventId !== undefined && isLogCursor(lastEventId) ? lastEventId : undefined
    const reader: Parameters<LineReads['read']>[2] = {
      principal: context.principal,
      admit: (load, work) => admission.run(context, load, work),
    }
    const readPage = (after: string | undefined) =>
      lineReads.read(params.id, { level, limit: limits.listLimitMax, cursor: after }, reader)
    const lines = level && createLineReader(readPage, cursor)
    return { delegate: (req, res) => eventStreams.open({ req, res }, { first: state, lines }) }
  },
})
