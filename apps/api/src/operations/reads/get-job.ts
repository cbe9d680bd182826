import { z } from 'zod'
import { entityTagOf, matchesEntityTag, parsePrefer } from '../../http/headers.ts'
import { databaseProblems, defineOperation } from '../../http/operation.ts'
import { Problem } from '../../http/problem.ts'
import { viewOf } from '../../kinds/job-view.ts'
import { encodeJob, jobExample, jobIdParameters, jobSchema } from './job.ts'
import { preferenceApplied, reserveWait, waitIfPreferred, waitPreferHeader } from './wait-if-preferred.ts'

export const getJob = defineOperation({
  operationId: 'getJob',
  method: 'get',
  path: '/jobs/{id}',
  tag: 'Jobs',
  permission: 'jobs:read',
  load: 'none',
  summary: 'Get a job',
  description:
    'Returns the current state of a job. With `Prefer: wait=N`, the response is sent when the job has ended, or ' +
    'after N seconds. With `If-None-Match`, an unchanged job is answered with 304 and no body.',
  params: jobIdParameters,
  headers: z.object({
    prefer: waitPreferHeader,
    'if-none-match': z.string().optional().meta({ description: 'The ETag of an earlier response.' }),
  }),
  successes: [
    {
      status: 200,
      description: 'The job.',
      headers: {
        ETag: 'Entity tag of the job. It changes whenever the job changes.',
        'Preference-Applied': preferenceApplied,
      },
      content: { mediaType: 'application/json', schema: jobSchema, example: jobExample },
    },
    {
      status: 304,
      description: 'The job has not changed since the version in If-None-Match.',
      headers: { ETag: 'Entity tag of the job.', 'Preference-Applied': preferenceApplied },
    },
  ],
  problems: ['job_not_found', 'too_many_waits', ...databaseProblems],
  async handle({ params, headers, context }, services) {
    const preferences = parsePrefer(headers.prefer)
    reserveWait(preferences, { context, services })
    const present = await services.admission.run(context, 'light', () => services.queue.get(params.id))
    if (present === undefined) throw jobNotFound()
    const { latest, applied } = await waitIfPreferred(present, { preferences, context, services })
    const job = await latest()
    if (job === undefined) throw jobNotFound()
    const text = JSON.stringify(encodeJob(job, await viewOf(context, services)))
    const etag = entityTagOf(text)
    const validators = { etag, 'cache-control': 'private, no-cache', ...applied }
    if (matchesEntityTag(headers['if-none-match'], etag)) return { status: 304, headers: validators }
    return { status: 200, headers: validators, contentType: 'application/json; charset=utf-8', text }
  },
})

export function jobNotFound(): Problem {
  return new Problem('job_not_found')
}
