import { z } from 'zod'
import { databaseProblems, defineOperation } from '../http/operation.ts'
import { Problem } from '../http/problem.ts'
import { encodeJob, jobExample, jobIdParameters, jobSchema } from '../wire/job.ts'
import { instantOutput } from '../wire/values.ts'
import { jobNotFound } from './get-job.ts'

const linkExample =
  '01980d3c-7a1e-7c3a-9f52-3b1f6c0de001.key-k3x9d0aq.1768470300000.vN1yq0m0e5v2uHc1Yw3q3f6m2b8t5k9p7r4s1x0zA2E'

const jobLinkSchema = z
  .object({
    path: z.string().meta({ description: 'Where the job can be read, below the address of this API.' }),
    expires_at: instantOutput.meta({ description: 'Until when.' }),
  })
  .meta({ id: 'JobLink', description: 'A link that reads one job.' })

export const createJobLink = defineOperation({
  operationId: 'createJobLink',
  method: 'post',
  path: '/jobs/{id}/links',
  tag: 'Jobs',
  permission: 'jobs:read',
  summary: 'Make a link that reads a job',
  description:
    'For 15 minutes, whoever has the link can read this job without credentials, but neither its payload nor its result. ' +
    'The link is void when the key that made it is revoked or expires. Where the server has no API_LINK_SECRET, there are ' +
    'no links, and this path is a 404.',
  params: jobIdParameters,
  successes: [
    {
      status: 201,
      description: 'The link. Nothing was stored.',
      content: {
        mediaType: 'application/json',
        schema: jobLinkSchema,
        example: { path: `/linked-jobs/${linkExample}`, expires_at: '2026-01-15T09:45:00.000Z' },
      },
    },
  ],
  problems: ['job_not_found', 'not_found', ...databaseProblems],
  async handle({ params, context }, { queue, jobLinks }) {
    const [job] = await queue.states([params.id])
    if (job === undefined) throw jobNotFound()
    const { link, expiresAt } = present(jobLinks).make(job.id, context.principal)
    return { status: 201, json: { path: `/linked-jobs/${link}`, expires_at: expiresAt.toISOString() } }
  },
})

export const getLinkedJob = defineOperation({
  operationId: 'getLinkedJob',
  method: 'get',
  path: '/linked-jobs/{link}',
  tag: 'Jobs',
  permission: 'none',
  summary: 'Read a job by a link',
  description:
    'The job as it is now, with what is sensitive of it hidden. A link that is wrong, that has expired, or whose maker may no ' +
    'longer read the job, is a 404 that does not say which. Of one maker, a job can be read 20 times at once, and then 2 times a ' +
    'second, in each process.',
  params: z.object({
    link: z.string().meta({ description: 'What POST /jobs/{id}/links has given.', example: linkExample }),
  }),
  successes: [
    {
      status: 200,
      description: 'The job.',
      content: {
        mediaType: 'application/json',
        schema: jobSchema,
        example: jobExample,
      },
    },
  ],
  problems: [
    'not_found',
    'job_not_found',
    'too_many_link_reads',
    'too_many_unknown_keys',
    ...databaseProblems,
  ],
  async handle({ params }, { jobLinks, servicesFor, kinds }) {
    const linked = await present(jobLinks).open(params.link)
    if (linked === undefined) {
      throw new Problem('not_found', { detail: 'there is no such link, or it has expired' })
    }
    const job = await servicesFor(linked.scope).queue.get(linked.id)
    if (job === undefined) throw jobNotFound()
    return { status: 200, json: encodeJob(job, await kinds.sensitive()) }
  },
})

function present<Links>(links: Links | undefined): Links {
  if (links === undefined) throw new Problem('not_found')
  return links
}
