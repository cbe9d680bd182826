import { instantOutput } from '@queue/core/internal'
import { z } from 'zod'
import { databaseProblems, defineOperation } from '../../http/operation.ts'
import { Problem } from '../../http/problem.ts'
import { viewOfLink } from '../../kinds/job-view.ts'
import { jobNotFound } from './get-job.ts'
import { encodeJob, jobExample, jobIdParameters, jobSchema } from './job.ts'

const linkExample =
  '01980d3c-7a1e-7c3a-9f52-3b1f6c0de001.key-k3x9d0aq.1768470300000.vN1yq0m0e5v2uHc1Yw3q3f6m2b8t5k9p7r4s1x0zA2E'

const jobLinkSchema = z
  .object({
    path: z.string().meta({ description: 'Path of the link, relative to the base URL of this API.' }),
    expires_at: instantOutput.meta({ description: 'Time when the link expires.' }),
  })
  .meta({ id: 'JobLink', description: 'A link that reads one job without credentials.' })

export const createJobLink = defineOperation({
  operationId: 'createJobLink',
  method: 'post',
  path: '/jobs/{id}/links',
  tag: 'Jobs',
  permission: 'jobs:read',
  summary: 'Create a link to a job',
  description:
    'Creates a link that reads this job without credentials for 15 minutes. The job is shown without its payload and ' +
    'result. The link stops working when the API key that created it is revoked or expires. Without API_LINK_SECRET, ' +
    'the server supports no links, and this path returns 404.',
  params: jobIdParameters,
  successes: [
    {
      status: 201,
      description: 'The link. Nothing is stored.',
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
    const { link, expiresAt } = enabled(jobLinks).make(job.id, context.principal)
    return { status: 201, json: { path: `/linked-jobs/${link}`, expires_at: expiresAt.toISOString() } }
  },
})

export const getLinkedJob = defineOperation({
  operationId: 'getLinkedJob',
  method: 'get',
  path: '/linked-jobs/{link}',
  tag: 'Jobs',
  permission: 'none',
  load: 'light',
  summary: 'Read a job by link',
  description:
    'Returns the current state of the job, with sensitive values masked. A link that is invalid, has expired, or ' +
    'whose creator can no longer read the job returns 404, without saying which. The links of one creator to a job ' +
    'allow a burst of 20 reads and then 2 reads a second, in each process.',
  params: z.object({
    link: z.string().meta({ description: 'Link from POST /jobs/{id}/links.', example: linkExample }),
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
  problems: ['not_found', 'job_not_found', 'too_many_link_reads', 'overloaded', ...databaseProblems],
  async handle({ params }, { jobLinks, servicesFor, kinds }) {
    const linked = await enabled(jobLinks).open(params.link)
    if (linked === undefined) {
      throw new Problem('not_found', { detail: 'this link is not valid or has expired: create a new one' })
    }
    const job = await servicesFor(linked.scope).queue.get(linked.id)
    if (job === undefined) throw jobNotFound()
    return { status: 200, json: encodeJob(job, await viewOfLink({ kinds })) }
  },
})

function enabled<Links>(links: Links | undefined): Links {
  if (links === undefined) throw new Problem('not_found')
  return links
}
